"""memcli undo."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support import faults
from support.cli import one_sentence, run, spawn

from memcli.core import demonstrating

CHAT = "desktop_1748908800000.jsonl"


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A damaged workspace whose files nobody touched for an hour."""
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "demo"
    demonstrating.write(str(folder))
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 3600,) * 2)
    return folder


def contents(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mode, p.stat().st_mtime_ns) for p in files}


def repair(demo: Path) -> str:
    """Repair it; the id of the operation."""
    ran = run("repair", "-W", demo, "--apply")
    *_, last = ran.err.splitlines()
    assert last.startswith("Undo: memcli undo ")
    return last.removeprefix("Undo: memcli undo ")


def test_there_and_back(demo: Path) -> None:
    before = contents(demo)
    made = repair(demo)
    repaired = contents(demo)
    assert repaired != before
    ran = run("undo", "-W", demo)
    assert ran.code == 0
    assert contents(demo) == before
    reversal = ran.rows[0][0]
    assert ran.err == (f"Undone: the repair {made}, {len(ran.rows)} files in {demo}.\nUndo: memcli undo {reversal}\n")
    assert {row[2] for row in ran.rows} == {str(demo / name) for name in before if before[name] != repaired[name]}
    assert {row[1] for row in ran.rows} == {"restored"}
    assert run("undo", reversal).code == 0
    assert {n: v[:2] for n, v in contents(demo).items()} == {n: v[:2] for n, v in repaired.items()}
    assert run("undo", made).code == 0
    assert contents(demo) == before


def test_quiet_says_nothing_but_data(demo: Path) -> None:
    made = repair(demo)
    ran = run("undo", made, "-q")
    assert (ran.code, ran.err) == (0, "")
    assert ran.rows


def test_json(demo: Path) -> None:
    made = repair(demo)
    [listed] = [json.loads(line) for line in run("undo", "--list", "-W", demo, "--json").out.splitlines()]
    assert (listed["type"], listed["id"], listed["what"], listed["agent"]) == ("operation", made, "repair", "catbuddy")
    assert listed["workspace"] == str(demo)
    assert listed["command"][1:] == ["repair", "-W", str(demo), "--apply"]
    assert (listed["undoes"], listed["undone_by"], listed["note"]) == (None, None, None)
    assert listed["quarantined"] > 0
    rows = [json.loads(line) for line in run("undo", "--json", made).out.splitlines()]
    assert {row["path"] for row in rows} == {file["path"] for file in listed["files"]}
    assert {(row["type"], row["undoes"], row["state"]) for row in rows} == {("operation", made, "restored")}
    newest, oldest = [json.loads(line) for line in run("undo", "--list", "-W", demo, "--json").out.splitlines()]
    assert (newest["id"], newest["undoes"], oldest["undone_by"]) == (rows[0]["id"], made, rows[0]["id"])


def test_list(demo: Path) -> None:
    assert run("undo", "--list", "-W", demo) == (0, "", "No operations are kept.\n")
    made = repair(demo)
    [row] = run("undo", "--list", "-W", demo).rows
    assert (row[0], row[2], row[4]) == (made, "repair", "")
    reversal = run("undo", made).rows[0][0]
    narrow = run("undo", "--list", "-W", demo, columns=60).out
    assert "repair" in narrow, "which is which can be seen where little fits"
    assert "undoes" in narrow
    assert ".jsonl" in narrow
    first, second = run("undo", "--list", "-W", demo).rows
    assert (first[0], first[4]) == (reversal, f"undoes {made}")
    assert (second[0], second[4]) == (made, f"undone by {reversal}")
    assert run("undo", "--list", "-W", demo, "--where", "undoes", "--query", "id").out == f'"{reversal}"\n'


def test_prune(demo: Path) -> None:
    made = repair(demo)
    ran = run("undo", "--prune", "-W", demo)
    assert (ran.code, ran.out) == (0, "")
    ran = run("undo", "--prune", "--keep", "0", "-W", demo)
    assert ran.rows == [[made, "repair", str(demo)]]
    assert ran.err == "1 operation forgotten; quarantine is kept.\n"
    one_sentence(run("undo", "-W", demo), 1, "nothing to undo")
    assert json.loads(run("state", "--json").out)["quarantine"]["bytes"] > 0


def test_nothing_to_undo(demo: Path) -> None:
    one_sentence(run("undo", "-W", demo), 1, "nothing to undo")
    made = repair(demo)
    run("undo", made)
    one_sentence(run("undo", made), 1, "was undone already")
    error = json.loads(run("undo", made, "--json").err)
    assert (error["type"], error["code"], error["exit"]) == ("error", "nothing-to-undo", 1)


def test_changed_since(demo: Path) -> None:
    made = repair(demo)
    with (demo / "sessions" / CHAT).open("ab") as file:
        file.write(b'{"role":"user","content":"after the repair"}\n')
    after = contents(demo)
    one_sentence(run("undo", made, "--idle", "0"), 4, "was changed since")
    ran = run("undo", made)
    assert ran.code == 4
    assert "less than the 10 to wait" in ran.err
    assert contents(demo) == after


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["20261130T0000-0000"], "no operation 20261130T0000-0000"),
        (["x", "--list"], "exclude each other"),
        (["--list", "--prune"], "exclude each other"),
        (["--keep", "3"], "--keep needs --prune"),
        (["-W", "/nowhere/at/all"], "does not exist"),
        (["--keep", "-1", "--prune"], "memcli undo"),
    ],
)
def test_bad_input(demo: Path, arguments: list[str], words: str) -> None:
    one_sentence(run("undo", *arguments), 2, words)


def test_as_a_process_on_a_terminal_and_in_a_pipe(demo: Path) -> None:
    before = contents(demo)
    ran = spawn("repair", "-W", demo, "--apply", "-q")
    assert ran.code in (0, 1)
    ran = spawn("undo", "-W", demo, "--color", "always")
    assert ran.code == 0
    assert contents(demo) == before
