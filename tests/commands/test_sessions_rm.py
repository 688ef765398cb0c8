"""memcli sessions rm."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from support import faults
from support.cli import environment, run, snapshot
from support.copies import chat, header, joined, row
from support.display import width
from support.repairs import OLD, inside

# pexpect forks, and says so in a process with threads, as those of xdist are
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
NAMES = {"telegram:42": "dGVsZWdyYW06NDI", "telegram:7": "dGVsZWdyYW06Nw"}


class Home:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / ".nanobot"
        self.sessions = self.root / "workspace" / "sessions"
        self.sessions.mkdir(parents=True)
        (self.root / "webui").mkdir()
        for key, stem in NAMES.items():
            data = joined(*header("nanobot", key=key), row("nanobot", 1), row("nanobot", 2))
            (self.sessions / f"{stem}.jsonl").write_bytes(data)
            (self.sessions / f"{stem}.checkpoint.json").write_bytes(b"{}")
            (self.root / "webui" / f"{key.replace(':', '_')}.jsonl").write_bytes(b"x\n")
        for path in self.root.rglob("*"):
            os.utime(path, ns=(OLD, OLD))

    def path(self, key: str = "telegram:42") -> Path:
        return self.sessions / f"{NAMES[key]}.jsonl"

    def rm(self, *more: str | Path, columns: int = 0) -> Any:
        return run("sessions", "rm", "-W", self.root, *more, columns=columns)

    def ask(self, answer: str) -> tuple[int, str]:
        """On a terminal, with this answer to the question."""
        child = pexpect.spawn(
            sys.executable,
            ["-m", "memcli", "sessions", "rm", "-W", str(self.root), "m:42"],
            env=environment({"TERM": "xterm-256color"}),
            dimensions=(24, 200),
            encoding="utf-8",
            timeout=60,
        )
        child.expect("y/N")
        before = str(child.before)
        child.send(answer)
        child.expect(pexpect.EOF)
        child.close()
        return child.exitstatus, before + str(child.before)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    return Home(tmp_path)


def test_there_and_back(home: Home) -> None:
    before = inside(home.root)
    size = str(home.path().stat().st_size)
    ran = home.rm("telegram:42", "--yes")
    assert ran.code == 0
    operation = ran.err.splitlines()[-1].removeprefix("Undo: memcli undo ")
    stem = str(home.path()).removesuffix(".jsonl")
    assert ran.rows == [
        ["session", "removed", operation, "telegram:42", "2", size, str(home.path())],
        ["sidecar", "removed", operation, "telegram:42", "", "2", f"{stem}.checkpoint.json"],
        ["left", "left", "", "telegram:42", "", "", str(home.root / "webui" / "telegram_42.jsonl")],
    ]
    assert not home.path().exists()
    [store] = map(json.loads, run("state", "--json").out.splitlines())
    assert store["deleted"] == 1
    assert store["tombstones"]["files"] == 1
    assert run("state", "-q").rows[0][5] == "1"
    assert run("undo", operation, "--idle", "0", "-q").code == 0
    assert inside(home.root) == before
    assert run("state", "-q").rows[0][5] == "0"


def test_dry_run(home: Home) -> None:
    before = snapshot(home.folder)
    ran = home.rm("telegram:42", "telegram:7", "--dry-run")
    assert ran.code == 0
    assert [line[:2] for line in ran.rows] == [["session", "planned"], ["sidecar", "planned"], ["left", "left"]] * 2
    assert ran.err == "Nothing was removed.\n"
    assert snapshot(home.folder) == before


def test_json(home: Home) -> None:
    ran = home.rm("telegram:42", "telegram:7", "-y", "--json")
    one, other = map(json.loads, ran.out.splitlines())
    assert (one["type"], one["state"], one["key"], one["rows"]) == ("removal", "removed", "telegram:42", 2)
    assert one["id"] == other["id"] == ran.err.split()[-1]
    assert (one["path"], one["agent"], len(one["sha256"])) == (str(home.path()), "nanobot", 64)
    assert one["sidecars"] == [str(home.path()).replace(".jsonl", ".checkpoint.json")]
    assert one["left"] == [str(home.root / "webui" / "telegram_42.jsonl")]


def test_where_keeps_rows(home: Home) -> None:
    assert (
        home.rm("telegram:42", "telegram:7", "--dry-run", "--json", "--where", "key == 'telegram:7'").out.count("\n")
        == 1
    )


@pytest.mark.parametrize("columns", [120, 60, 40])
def test_on_a_terminal(home: Home, columns: int) -> None:
    ran = home.rm("telegram:42", "--yes", "--color", "never", columns=columns)
    lines = ran.out.splitlines()
    assert max(map(width, lines)) <= columns
    assert [line.split()[0] for line in lines] == ["STATE", "removed", "beside", "stays"]
    assert "telegram_42.jsonl" in lines[-1] or columns < 60


@pytest.mark.parametrize("answer", ["n\n", "\n", "maybe\n", "\x04"], ids=["no", "enter", "other", "end"])
def test_no_is_the_answer_to_anything_but_yes(home: Home, answer: str) -> None:
    code, text = home.ask(answer)
    assert code == 1
    assert "telegram:42  2 rows" in text
    assert "Remove 1 session and 1 file beside? undo brings all back." in text
    assert text.rstrip().endswith("Nothing was removed.")
    assert home.path().exists()


@pytest.mark.parametrize("answer", ["y\n", "YES\n"])
def test_yes(home: Home, answer: str) -> None:
    code, text = home.ask(answer)
    assert code == 0
    assert "Undo: memcli undo " in text
    assert not home.path().exists()
    assert home.path("telegram:7").exists()


def test_stopped_at_the_question(home: Home) -> None:
    code, _ = home.ask("\x03")
    assert code == 130
    assert home.path().exists()


def test_many_are_not_all_named_in_the_question() -> None:
    from memcli.core.removing import Removal
    from memcli.model import SessionRef, Workspace
    from memcli.output.removal_view import question
    from memcli.storage.versions import Version

    def removal(number: int) -> Removal:
        ref = SessionRef("jsonl", f"k{number}\n", "/p", "/p", Workspace("jsonl", "/"))
        return Removal(ref, Version(1, 1, 1, 1, "", 0o600), 1, [], [])

    lines = question([removal(number) for number in range(10)]).splitlines()
    assert lines[-2:] == ["and 2 more", "Remove 10 sessions? undo brings all back."]
    assert len(lines) == 10


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        ([], "memcli sessions rm SESSION..."),
        (["telegram:42"], "--yes removes without a question"),
        (["m:42", "--yes"], "only a part of telegram:42"),
        (["nobody", "--yes"], "No session answers"),
        (["telegram", "--yes"], "can mean"),
    ],
)
def test_usage(home: Home, arguments: list[str], phrase: str) -> None:
    before = snapshot(home.root)
    ran = home.rm(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert phrase in ran.err
    assert snapshot(home.root) == before


def test_an_agent_at_work(home: Home) -> None:
    os.utime(home.path())
    ran = home.rm("telegram:42", "-y", "--idle", "3600")
    assert ran.code == 4
    assert ran.rows[0][1] == "refused"
    assert "seconds ago" in ran.err
    assert home.path().exists()
    assert home.rm("telegram:42", "-y", "--idle", "3600", "--force-live").code == 0


def test_a_file_that_is_named(home: Home, tmp_path: Path) -> None:
    loose = tmp_path / "loose.jsonl"
    loose.write_bytes(chat("jsonl", [1]))
    os.utime(loose, ns=(OLD, OLD))
    assert run("sessions", "rm", loose, "--yes").code == 0
    assert not loose.exists()
