"""`doctor` without words: golden pages and rows over every sample, exit codes, --fix, and nothing ever written without it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support import golden
from support.cli import run, snapshot, spawn
from support.clock import NOW
from support.display import width
from support.hazards import HAZARDS, HELD, good
from support.machine import Machine
from support.overviews import Case, build, chat

from memcli.core.checks import disk
from memcli.core.checks.disk import Room

DAMAGED = ("catbuddy", "cococat-v1-damaged")
NO_FILE = ("fifo", "folder", "socket", "dangling symlink", "device")
"""Hazards that are no file which could not be read, but no file at all."""
QUIET = ("locked", "line separators", "name not UTF-8", "hostile name")
"""Hazards that need nothing to be done, or nothing that doctor could say in one line."""
FILES = {
    "sessions/desktop_main.jsonl": chat(),
    "sessions/desktop_two.jsonl": chat("desktop:two")[:-30],
    "memory/MEMORY.md": "# Memory\n",
}


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of whoever runs the tests may be full."""
    monkeypatch.setattr(disk, "room", lambda folder: Room(1, 1 << 40, True))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with a healthy chat and a damaged one, a day old."""
    import time

    return build(tmp_path / "ws", Case("catbuddy", FILES, []), time.time())


@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_golden_rows(stage: dict[str, Path], workspace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Machine(tmp_path / "proc", monkeypatch, now=NOW)
    ran = run("doctor", "--json", "-W", stage[workspace])
    assert ran.code == (workspace in DAMAGED)
    golden.check(f"doctor/{workspace}.jsonl", ran.out, {"SAMPLES": stage[workspace].parent})


@pytest.mark.parametrize("columns", [60, 100])
def test_golden_page(demonstration: Path, columns: int) -> None:
    ran = run("doctor", cwd=demonstration, columns=columns)
    assert ran.code == 1
    place, *lines = ran.out.splitlines()
    assert str(demonstration) in place
    assert all(width(line) <= columns for line in lines if not line.strip().startswith("\x1b[1mmemcli "))
    golden.check(f"doctor/demo.{columns}.txt", ran.out, {"DEMO": demonstration})


def test_a_pipe_gets_the_same_page_without_colour(demonstration: Path) -> None:
    page = run("doctor", cwd=demonstration, env={"COLUMNS": "100"}).out
    assert page == run("doctor", "--color", "never", cwd=demonstration, columns=100).out
    assert "\x1b" not in page


def test_a_healthy_workspace_takes_one_line(home: Path) -> None:
    (home / "sessions" / "desktop_two.jsonl").unlink()
    ran = run("doctor", "-W", home)
    assert (ran.code, ran.out) == (
        0,
        f"{home}  catbuddy\nhealthy  1 session (1 ended), 4 rows, 1 memory file looked at: nothing is wrong\n",
    )


def test_where_says_nothing_about_the_other_checks(home: Path) -> None:
    ran = run("doctor", "-W", home, "--where", "name=='disk' || name=='locks'")
    assert ran.code == 0
    assert ran.out == f"{home}  catbuddy\nok       nothing wrong with disk space\nok       nothing wrong with locks\n"


CODES = {
    (): 1,
    ("--fail-on", "error"): 1,
    ("--fail-on", "never"): 0,
    ("--where", "state=='info'"): 0,
    ("--where", "name=='disk'", "--fail-on", "info"): 0,
    ("--cron",): 1,
    ("--idle", "3"): 2,
    ("--force-live",): 2,
    ("desktop:main", "--fix"): 2,
    ("desktop:main", "--cron"): 2,
    ("--fail-on", "sometimes"): 2,
    ("--tz", "Nowhere/City"): 2,
}


@pytest.mark.parametrize("arguments", CODES, ids=" ".join)
def test_exit_codes(home: Path, arguments: tuple[str, ...]) -> None:
    before = snapshot(home)
    assert run("doctor", *arguments, "-W", home).code == CODES[arguments]
    assert snapshot(home) == before


def test_quiet_says_nothing_but_the_page(home: Path) -> None:
    ran = run("doctor", "-q", "-W", home)
    assert ran.err == ""
    assert "torn-tail" in ran.out


def test_fix_mends_what_is_safe_and_tells_how_to_undo_it(home: Path) -> None:
    before = snapshot(home)
    ran = run("doctor", "--fix", "-W", home)
    assert ran.code == 0
    last = ran.err.splitlines()[-1]
    assert last.startswith("Undo: memcli undo ")
    assert run("doctor", "-W", home).code == 0
    assert run(*last.split()[2:]).code == 0
    assert {path: seen[-1] for path, seen in snapshot(home).items()} == {
        path: seen[-1] for path, seen in before.items()
    }


def test_fix_does_what_repair_does(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "ws"
    shutil.copytree(home, other)
    fixed = run("doctor", "--fix", "--json", "--idle", "0", "-W", home)
    repaired = run("repair", "--apply", "--json", "--idle", "0", "-W", other)
    assert fixed.code == repaired.code

    def told(text: str, root: Path) -> list[dict[str, object]]:
        rows = [json.loads(line) for line in text.replace(str(root), "<WS>").splitlines()]
        return [{name: value for name, value in row.items() if name != "id"} for row in rows]

    assert told(fixed.out, home) == told(repaired.out, other)
    assert snapshot(home).keys() == {path.replace(str(other), str(home)) for path in snapshot(other)}


def test_fix_waits_while_an_agent_is_at_work(home: Path) -> None:
    path = home / "sessions" / "desktop_two.jsonl"
    path.write_bytes(path.read_bytes())
    before = path.read_bytes()
    ran = run("doctor", "--fix", "-W", home)
    assert ran.code == 4
    assert "less than the 10 to wait" in ran.err
    assert run("doctor", "--fix", "--cron", "-W", home).code == 0
    assert path.read_bytes() == before
    assert run("doctor", "--fix", "--idle", "0", "-W", home).code == 0
    assert path.read_bytes() != before


def test_the_worst_workspace_comes_first(home: Path, tmp_path: Path) -> None:
    well = build(tmp_path / "a-well", Case("catbuddy", {"sessions/desktop_main.jsonl": chat()}, []), 0)
    rows = [json.loads(line) for line in run("doctor", "--json", "-W", well, "-W", home).out.splitlines()]
    assert [row["workspace"] for row in rows if row["name"] == "sessions"] == [str(home), str(well)]
    page = run("doctor", "-W", well, "-W", home).out
    assert page.index(str(home)) < page.index(f"{well}  catbuddy")
    assert page.count("\n\n") == 1


@pytest.mark.parametrize("hazard", HAZARDS)
def test_whatever_lies_there_the_overview_tells_it_and_changes_nothing(tmp_path: Path, hazard: str) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    good(folder)
    HAZARDS[hazard][0](folder)
    before = snapshot(folder)
    arguments = ("doctor", "--json", "-W", folder)
    ran = spawn(*arguments, mortal=True) if hazard == "no permission" else run(*arguments)
    assert snapshot(folder) == before
    while HELD:
        os.close(HELD.pop())
    assert "Traceback" not in ran.err
    rows = [json.loads(line) for line in ran.out.splitlines()]
    told = [row for row in rows if row["state"] in ("error", "warning")]
    assert ran.code == (3 if HAZARDS[hazard][2] and hazard not in NO_FILE else int(bool(told)))
    assert bool(told) == (hazard not in QUIET)
    assert all(row["command"] for row in told)


def test_a_file_name_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    name = "sessions/desktop_\x1b]0;owned\x07.jsonl"
    root = build(tmp_path / "ws", Case("catbuddy", {name: chat("desktop:\x1b]0;owned\x07")[:-30]}, []), 0)
    for ran in (run("doctor", "-W", root, columns=80), run("doctor", "-W", root), run("doctor", "--json", "-W", root)):
        assert "\x1b]" not in ran.out
        assert "\x07" not in ran.out
