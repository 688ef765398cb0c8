"""The nanobot format: the conformance suite once for each generation."""

from __future__ import annotations

from pathlib import Path

from support.format_suite import FormatSuite, Sample
from support.nanobot_files import ENCODED, HEADER, ID, STATE, call, identify, memory, namespace, said, write

ROWS = (
    said("user", "how do I deploy? 怎么部署"),
    {**call("c1"), "reasoning_content": "look at the folder first"},
    {"role": "tool", "tool_call_id": "c1", "name": "exec", "content": "deploy.sh\u2028done"},
    said("assistant", "Run deploy.sh.", latency_ms=7),
)
TEXTS = ("怎么部署", "look at the folder first", 'ls "档案"', "deploy.sh\u2028done", "Run deploy.sh.")


class Common(FormatSuite):
    format_name = "nanobot"
    not_sessions = (
        *FormatSuite.not_sessions,
        "Y2xpOmRpcmVjdA.checkpoint.json",
        ".Y2xpOmRpcmVjdA.jsonl.0123456789abcdef.tmp",
        ".session-files.lock",
        ".workspace",
    )
    leftover_names = (
        "cli_direct.jsonl.tmp",
        "Y2xpOmRpcmVjdA.checkpoint.json",
        ".Y2xpOmRpcmVjdA.jsonl.0123456789abcdef.tmp",
        ".Y2xpOmRpcmVjdA.checkpoint.json.0123456789abcdef.tmp",
        "Y2xpOmRpcmVjdA (conflicted copy 2026-05-01).jsonl",
        "Y2xpOmRpcmVjdA.sync-conflict-20260501-100000-ABCDEFG.jsonl",
    )
    foreign_samples = ("catbuddy", "cococat")

    layers = frozenset({"global", "persona", "user"})

    def test_memory_layers_have_known_names(self, workspace):
        assert {file.layer for file in self.format.memory.files(workspace)} == self.layers


class TestE4(Common):
    era = "E4"

    def sample(self, folder: Path) -> Sample:
        home = folder / ".nanobot"
        workspace = identify(home / "workspace", ID)
        kept = memory(workspace, "history.jsonl")
        space = namespace(home, ID, workspace)
        session = write(space / ENCODED, {**HEADER, "last_archived": 0}, STATE, *ROWS)
        (home / "config.json").write_text("{}")
        entries = (folder, home, workspace, workspace / ".nanobot", kept, home / "sessions", space)
        return Sample(home, entries, session, "cli:direct", 4, TEXTS)


class TestE3(Common):
    era = "E3"

    def sample(self, folder: Path) -> Sample:
        workspace = folder / "anywhere"
        kept = memory(workspace, "history.jsonl")
        session = write(workspace / "sessions" / ENCODED, HEADER, *ROWS)
        return Sample(workspace, (workspace, session.parent, kept), session, "cli:direct", 4, TEXTS)


class TestE2(Common):
    era = "E2"
    reversible_names = False

    def sample(self, folder: Path) -> Sample:
        workspace = folder / "anywhere"
        kept = memory(workspace, "history.jsonl")
        session = write(workspace / "sessions" / "cli_direct.jsonl", HEADER, *ROWS)
        return Sample(workspace, (workspace, session.parent, kept), session, "cli:direct", 4, TEXTS)


class TestE1(Common):
    era = "E1"
    reversible_names = False
    layers = Common.layers | {"history"}

    def sample(self, folder: Path) -> Sample:
        home = folder / ".nanobot"
        kept = memory(home / "workspace", "HISTORY.md")
        session = write(home / "workspace" / "sessions" / "cli_direct.jsonl", HEADER, *ROWS)
        entries = (folder, home, home / "workspace", session.parent, kept)
        return Sample(home, entries, session, "cli:direct", 4, TEXTS)


class TestE0(Common):
    era = "E0"
    reversible_names = False
    layers = Common.layers | {"daily"}

    def sample(self, folder: Path) -> Sample:
        home = folder / ".nanobot"
        kept = memory(home / "workspace", "2026-02-03.md")
        first = {name: HEADER[name] for name in ("_type", "created_at", "updated_at", "metadata")}
        session = write(home / "sessions" / "cli_direct.jsonl", first, *ROWS)
        entries = (folder, home, home / "workspace", session.parent, kept)
        return Sample(home, entries, session, "cli:direct", 4, TEXTS)
