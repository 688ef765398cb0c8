"""CocoCat against the conformance suite, once for each generation."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.format_suite import FormatSuite, Sample

SAMPLES = Path(__file__).parent.parent / "samples" / "cococat"
NANOBOTS = ("0.1.5.post3", "0.2.2", "0.3.0", "0.3.5", "0.3.5-killed")


class CocoCatSuite(FormatSuite):
    format_name = "cococat"
    foreign_samples = ("catbuddy", *(f"nanobot-v{version}" for version in NANOBOTS))
    has_header = False
    has_names = False
    reversible_names = False


class TestCocoCatV1(CocoCatSuite):
    era = "V1"

    def sample(self, folder: Path) -> Sample:
        root = folder / "project"
        shutil.copytree(SAMPLES / "v1-healthy", root)
        memory = root / "agents" / "leader" / "memory"
        entries = (
            root,
            root / "agents",
            root / "agents" / "leader",
            memory,
            memory / "users",
            *memory.glob("users/*"),
        )
        texts = (
            "Which database do we use?\nresponse_summary: SQLite in WAL mode.",
            "已发送。",
            "Your task is to update 组长's",
        )
        return Sample(root, entries, memory / "history.jsonl", "leader", 4, texts)

    def another_session(self, sample: Sample, label: str) -> Path:
        folder = sample.session.parent / "users" / label
        folder.mkdir(exist_ok=True)
        return folder / "history.jsonl"

    def test_a_name_that_is_not_utf8_is_listed(self, built, workspace):
        """The file is always history.jsonl; it is the user's folder that may have such a name."""
        folder = os.fsdecode(os.fsencode(built.session.parent / "users") + b"/caf\xe9")
        os.mkdir(folder)
        path = os.path.join(folder, "history.jsonl")
        Path(path).write_bytes(b"{}\n")
        assert path in set(self.format.layout.session_paths(workspace))
        assert self.format.layout.key_of(workspace, path) == "leader/caf\udce9"


class TestCocoCatGroupChat(CocoCatSuite):
    era = "V1"
    has_journal = has_memory = True

    def sample(self, folder: Path) -> Sample:
        root = folder / "project"
        shutil.copytree(SAMPLES / "v1-healthy", root)
        chat = root / "chat" / "team"
        chat.mkdir(parents=True)
        rows = [
            {"content": "早上好", "from": "user_abc", "recalled": False, "read_by": []},
            {
                "content": "Morning!",
                "from": "leader",
                "recalled": False,
                "read_by": [{"agent_id": "a", "score": 1}],
            },
        ]
        (chat / "messages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return Sample(
            root,
            (root, root / "chat", chat),
            chat / "messages.jsonl",
            "group:team",
            2,
            ("早上好", "Morning!"),
        )

    def another_session(self, sample: Sample, label: str) -> Path:
        folder = sample.session.parent.parent / label
        folder.mkdir(exist_ok=True)
        return folder / "messages.jsonl"

    @pytest.mark.parametrize("name", ["caf\udce9"])
    def test_a_name_that_is_not_utf8_is_listed(self, built, workspace, name):
        folder = built.session.parent.parent / name
        folder.mkdir()
        path = folder / "messages.jsonl"
        path.write_bytes(b"{}\n")
        assert str(path) in set(self.format.layout.session_paths(workspace))
        assert self.format.layout.key_of(workspace, str(path)) == f"group:{name}"


class TestCocoCatV2a(CocoCatSuite):
    era = "V2a"
    has_journal = True

    def sample(self, folder: Path) -> Sample:
        root = folder / "project"
        shutil.copytree(SAMPLES / "v2-layout", root)
        agent = root / "agents" / "main"
        session = agent / "sessions" / "0123456789abcdef.jsonl"
        entries = (root, root / "agents", agent, agent / "memory", agent / "sessions")
        return Sample(root, entries, session, "main/0123456789abcdef", 2, ("Hello", "Hi."))

    def test_journal_and_memory_files_are_absolute_and_of_the_workspace(self, workspace):
        """V2 has no journal, so there is none to name."""
        assert self.format.journal is not None
        assert self.format.journal.files(workspace) == []


class TestCocoCatV2b(TestCocoCatV2a):
    era = "V2b"

    def sample(self, folder: Path) -> Sample:
        root = folder / "project"
        scene = root / "scenes" / "default"
        (scene / "sessions" / "local").mkdir(parents=True)
        (scene / "memory" / "local").mkdir(parents=True)
        (scene / "memory" / "local" / "memory.md").write_text("用户喜欢蓝色\n", "utf-8")
        session = scene / "sessions" / "local" / "default.jsonl"
        rows = [{"role": "system", "content": "You are Coco."}, {"role": "user", "content": "你好 \u2028 🙂"}]
        session.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        entries = (
            root,
            root / "scenes",
            scene,
            scene / "sessions",
            session.parent,
            scene / "memory" / "local",
        )
        return Sample(root, entries, session, "default/local/default", 2, ("You are Coco.", "你好 \u2028 🙂"))
