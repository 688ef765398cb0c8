"""`history`: golden pages over the samples, and what append, check and cursor do on the command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import golden
from support.cli import Ran, one_sentence, run
from support.clock import NOW

from memcli.core import positions
from memcli.storage import state

PLAIN = {"NO_COLOR": "1"}
SHOWN = {
    # golden file: (workspace, arguments)
    "show_catbuddy.txt": ("catbuddy", ["show"]),
    "show_catbuddy.jsonl": ("catbuddy", ["show", "--json"]),
    "show_nanobot.txt": ("nanobot-v0.3.5", ["show", "-n", "2"]),
    "show_nanobot_older.txt": ("nanobot-v0.1.5.post3", ["show"]),
    "show_nanobot.jsonl": ("nanobot-v0.3.5", ["show", "--json", "--since", "1"]),
    "show_cococat.txt": ("cococat-v1-healthy", ["show"]),
    "show_cococat_pending.txt": ("cococat-v1-healthy", ["show", "--pending"]),
    "show_cococat_user.jsonl": ("cococat-v1-healthy", ["show", "--user", "user_abc", "--json"]),
    "show_damaged.txt": ("cococat-v1-damaged", ["show"]),
    "show_damaged.jsonl": ("cococat-v1-damaged", ["show", "--json", "-n", "2"]),
    "check_damaged.txt": ("cococat-v1-damaged", ["check"]),
    "cursor_catbuddy.txt": ("catbuddy", ["cursor"]),
    "cursor_nanobot.jsonl": ("nanobot-v0.3.5", ["cursor", "--json"]),
    "cursor_nanobot_killed.txt": ("nanobot-v0.3.5-killed", ["cursor"]),
    "cursor_cococat.txt": ("cococat-v1-healthy", ["cursor"]),
    "cursor_damaged.jsonl": ("cococat-v1-damaged", ["cursor", "--json"]),
}


@pytest.fixture(autouse=True)
def at_rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(positions, "time", SimpleNamespace(time=lambda: NOW))


@pytest.fixture
def copied(stage: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a sample that may be written to."""
    return lambda name: Path(shutil.copytree(stage[name], tmp_path / "copy", symlinks=True))


def history(*arguments: str | Path, root: Path, **more: object) -> Ran:
    return run("history", *arguments, "-W", root, **more)


@pytest.mark.parametrize("name", SHOWN)
def test_golden(name: str, stage: dict[str, Path], tmp_path: Path) -> None:
    workspace, arguments = SHOWN[name]
    ran = history(*arguments, root=stage[workspace])
    places = {"SAMPLES": stage[workspace].parent, "STATE": tmp_path / "state"}
    store = state.store(str(stage[workspace])).id
    golden.check(f"history/{name}", (ran.out + ran.err).replace(store, "ID"), places)
    assert ran.code == (1 if name.startswith("check") else 0)


def test_pages_on_a_terminal(stage: dict[str, Path]) -> None:
    ran = history("show", root=stage["cococat-v1-healthy"], columns=120, env=PLAIN)
    assert "leader #4 task 2026-05-06T10:00:41.120000 [pending]\n" in ran.out
    assert "leader/9cfc09aa76ff341a #1 assistant" in ran.out
    ran = history("show", root=stage["catbuddy"], columns=120, env=PLAIN)
    assert ran.out.startswith("#1 journal 2026-05-20T08:30:09.413Z [pending]\n")
    ran = history("cursor", root=stage["catbuddy"], columns=120, env=PLAIN)
    assert ran.out.splitlines()[0].split()[:4] == ["JOURNAL", "ENTRIES", "COUNTER", "NEXT"]


def test_where_keeps_rows(stage: dict[str, Path]) -> None:
    ran = history("show", "--where", "number == `2`", root=stage["catbuddy"])
    assert [row[0] for row in ran.rows] == ["2"]
    ran = history("show", "--where", "number == `9`", "--json", root=stage["catbuddy"])
    assert ran.out == ""


def test_append_and_back(copied: Callable[[str], Path]) -> None:
    root = copied("catbuddy")
    path = root / "memory" / "history.jsonl"
    before = path.read_bytes()
    ran = history("append", "-", root=root, stdin="端口是 8080\n第二行\n".encode())
    assert ran.code == 0
    [[operation, number, told]] = ran.rows
    assert (number, told) == ("3", str(path))
    assert ran.err.splitlines()[-1] == f"Undo: memcli undo {operation}"
    assert json.loads(path.read_bytes().splitlines()[2])["content"] == "端口是 8080\n第二行"
    assert [row[0] for row in history("show", "--since", "2", root=root).rows] == ["3"]
    assert run("undo", operation, "--idle", "0", "-q").code == 0
    assert path.read_bytes() == before
    assert (root / "memory" / ".cursor").read_text() == "3"


def test_append_as_json_and_on_a_terminal(copied: Callable[[str], Path]) -> None:
    root = copied("nanobot-v0.3.5")
    ran = history("append", "x", "--session", "cli:direct", "--json", root=root)
    value = json.loads(ran.out)
    assert value["type"] == "appended"
    assert value["number"] == json.loads(value["line"])["cursor"]
    assert json.loads(value["line"])["session_key"] == "cli:direct"
    ran = history("append", "x", root=root, columns=100)
    assert ran.out == ""
    assert f"Appended entry {value['number'] + 1} to " in ran.err


def test_a_missing_journal_is_said(copied: Callable[[str], Path]) -> None:
    root = copied("catbuddy")
    (root / "memory" / "history.jsonl").unlink()
    ran = history("show", root=root)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("history.jsonl does not exist yet.\n")


def test_a_journal_that_was_named(stage: dict[str, Path]) -> None:
    ran = history("show", root=stage["catbuddy"] / "memory" / "history.jsonl")
    assert [row[0] for row in ran.rows] == ["1", "2"]


def test_a_journal_that_cannot_be_read(copied: Callable[[str], Path]) -> None:
    root = copied("catbuddy")
    (root / "memory" / "history.jsonl").unlink()
    (root / "memory" / "history.jsonl").mkdir()
    for command in (["show"], ["cursor"], ["append", "x"]):
        ran = history(*command, root=root)
        assert ran.code in (3, 4), command
        assert "history.jsonl" in ran.err
    assert (root / "memory" / ".cursor").read_text() == "2"


def test_a_position_of_the_agent_there_and_back(copied: Callable[[str], Path]) -> None:
    root = copied("cococat-v1-healthy")
    path = root / "agents" / "leader" / "memory" / ".dream_cursor"
    before = path.stat().st_mtime_ns
    ran = history("cursor", "--set", "1", root=root)
    assert ran.code == 0
    [[operation, old, new, told]] = ran.rows
    assert (old, new, told, path.read_bytes()) == ("3", "1", str(path), b"1")
    assert path.stat().st_mtime_ns == before
    assert "The file's time was kept" in ran.err
    assert run("undo", operation, "--idle", "0", "-q").code == 0
    assert path.read_bytes() == b"3"


def test_a_position_of_our_own(copied: Callable[[str], Path]) -> None:
    root = copied("catbuddy")
    names = sorted(path.name for path in root.rglob("*"))
    assert history("cursor", "--set", "end", "--json", root=root).code == 0
    assert history("show", "--pending", root=root).out == ""
    assert sorted(path.name for path in root.rglob("*")) == names
    again = history("cursor", "--set", "2", "--json", root=root)
    assert json.loads(again.out)["id"] is None
    assert "already" in again.err
    assert run("undo", "-W", root, "--idle", "0", "-q").code == 0
    assert len(history("show", "--pending", root=root).rows) == 2


def test_busy(copied: Callable[[str], Path]) -> None:
    root = copied("nanobot-v0.3.5")
    position = next(root.rglob(".dream_cursor"))
    position.touch()
    old = position.read_bytes()
    ran = history("cursor", "--set", "start", root=root)
    assert ran.code == 4
    assert "--force-live" in ran.err
    assert position.read_bytes() == old
    assert history("cursor", "--set", "start", "--force-live", root=root).code == 0
    assert position.read_bytes() == b"0"


BAD = {
    "no text": ("catbuddy", ["append", " "], 2, "no text"),
    "no words": ("catbuddy", ["append"], 2, "no text"),
    "not UTF-8": ("catbuddy", ["append", "\udcff"], 2, "not UTF-8"),
    "no session": ("catbuddy", ["append", "x", "--session", "k"], 2, "names no session"),
    "beyond": ("catbuddy", ["cursor", "--set", "3"], 2, "is beyond"),
    "beyond the records": ("cococat-v1-healthy", ["cursor", "--set", "5"], 2, "4 records"),
    "no number": ("catbuddy", ["cursor", "--set", "-1"], 2, "takes a number"),
    "no user": ("cococat-v1-healthy", ["show", "--user", "nobody"], 2, "No journal of a user"),
    "no users here": ("catbuddy", ["show", "--user", "nobody"], 2, "no user has one"),
    "no such journal": ("cococat-v1-healthy", ["show", "--journal", "nobody"], 2, "No journal answers"),
    "several": ("cococat-v1-healthy", ["show", "--journal", "history"], 2, "Several journals answer"),
    "no journal": ("cococat-v2-layout", ["show"], 2, "No journal belongs to"),
    "none to check": ("cococat-v2-layout", ["check"], 2, "No journal belongs to"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str, stage: dict[str, Path]) -> None:
    workspace, arguments, code, phrase = BAD[case]
    one_sentence(history(*arguments, root=stage[workspace]), code, phrase)


def test_an_archive_is_only_read(tmp_path: Path, stage: dict[str, Path]) -> None:
    packed = shutil.make_archive(str(tmp_path / "sent"), "zip", stage["catbuddy"])
    assert len(history("show", root=Path(packed)).rows) == 2
    one_sentence(history("append", "x", root=Path(packed)), 2, "is no file in its place")
    one_sentence(history("cursor", "--set", "1", root=Path(packed)), 2, "is no file in its place")


def test_help_tells_the_commands() -> None:
    assert "cursor" in run("history", "-h").out
