"""Everything that may lie where a session is expected: nothing hides, crashes, hangs or changes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.cli import MEMCLI, Ran, environment, one_sentence, run, short, snapshot, spawn
from support.hazards import GOOD, HAZARDS, HELD, good

COMMANDS = (["sessions", "ls"], ["sessions", "show"], ["grep", "x"], ["tail"])


def on(hazard: str, *arguments: str | Path) -> Ran:
    """Run memcli where `hazard` is; only what root may read although nobody else may needs a process."""
    return spawn(*arguments, mortal=True) if hazard == "no permission" else run(*arguments)


@pytest.fixture
def place(tmp_path: Path, hazard: str) -> Iterator[Path]:
    """A folder with a good chat and the hazard in it, which no command may change."""
    folder = tmp_path / "chats"
    folder.mkdir()
    good(folder)
    HAZARDS[hazard][0](folder)
    before = snapshot(folder)
    yield folder
    assert snapshot(folder) == before
    while HELD:
        os.close(HELD.pop())


@pytest.mark.parametrize("hazard", HAZARDS)
def test_ls_has_a_row_for_everything(place: Path, hazard: str) -> None:
    _, codes, why = HAZARDS[hazard]
    ran = on(hazard, "sessions", "ls", "--json", "-W", place)
    assert (ran.code, ran.err) == (0, "")
    rows = {row["key"]: row for row in map(json.loads, ran.out.splitlines())}
    assert rows.pop("good")["damage"] == []
    [row] = rows.values()
    assert row["damage"][: len(codes)] == codes
    assert row.get("why", "") == why


@pytest.mark.parametrize("hazard", HAZARDS)
def test_grep_finds_what_lies_beside_everything(place: Path, hazard: str) -> None:
    why = HAZARDS[hazard][2]
    ran = on(hazard, "grep", "needle", "-W", place)
    assert "good\t1\tuser\t\ta needle in here\n" in ran.out
    assert "Traceback" not in ran.err
    if why:
        one_sentence(ran, 3, "odd.jsonl cannot be read: ")
    else:
        assert ran.code == 0


@pytest.mark.parametrize("hazard", HAZARDS)
def test_the_long_listing_and_show_survive_everything(place: Path, hazard: str) -> None:
    why = HAZARDS[hazard][2]
    listed = on(hazard, "sessions", "ls", "--long", "--json", "-W", place)
    assert (listed.code, listed.err) == (0, "")
    [row] = [row for row in map(json.loads, listed.out.splitlines()) if row["key"] != "good"]
    assert (row["state"] == "unreadable") == (not row["messages"] and hazard != "empty")
    shown = on(hazard, "sessions", "show", "odd", "-W", place)
    if why:
        one_sentence(shown, 3, "odd.jsonl")
    else:
        assert (shown.code, shown.err) == (0, "")
        assert ", ".join(row["damage"]) in shown.out


@pytest.mark.parametrize("hazard", [name for name in HAZARDS if "name" not in name])
@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_everything_can_be_named_with_w(place: Path, hazard: str, command: list[str]) -> None:
    why = HAZARDS[hazard][2]
    ran = on(hazard, *command, "-W", place / "odd.jsonl")
    assert "Traceback" not in ran.err
    if hazard == "folder":
        one_sentence(ran, 2, "No sessions or memory of a known agent")
    elif hazard == "gzip":
        one_sentence(ran, 3, "odd.jsonl")
    elif command == ["sessions", "ls"] or not why:
        assert ran.code == (1 if command[0] == "grep" and "x" not in ran.out else 0)
    else:
        one_sentence(ran, 3, "odd.jsonl")


@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_a_folder_that_may_not_be_read(tmp_path: Path, command: list[str]) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    good(folder)
    folder.chmod(0)
    ran = spawn(*command, "-W", folder, mortal=True)
    folder.chmod(0o700)
    one_sentence(ran, 3, f"{folder} cannot be read: permission denied.")


@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_the_current_folder_is_gone(tmp_path: Path, command: list[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", leave, "sh", *MEMCLI, *command],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    one_sentence(Ran(done.returncode, done.stdout, done.stderr), 2, "No workspace of a known agent")


PADDED = GOOD.replace("}", f', "padding": "{"x" * 1000}"}}')
"""With 3000 of these a file is longer than what is read at once."""


def _grow(path: Path) -> None:
    with path.open("a") as file:
        file.write(PADDED * 3000)


def _replace(path: Path) -> None:
    path.with_suffix(".new").write_text(GOOD)
    path.with_suffix(".new").replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "vanishes": lambda path: path.unlink(),
    "shrinks": lambda path: os.truncate(path, 100_000),
    "is emptied": lambda path: os.truncate(path, 0),
    "grows": _grow,
    "is replaced": _replace,
}


@pytest.mark.parametrize("moment", [1, 2, 3, 5])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_a_file_changes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], change: str, moment: int
) -> None:
    """Whatever happens at the worst moment, just before the n-th look at the file: an answer, or one sentence."""
    good(tmp_path)
    path = tmp_path / "odd.jsonl"
    path.write_text(PADDED * 3000)
    looks = []
    fds = set()

    def hooked(name: str) -> Callable[..., object]:
        real = getattr(os, name)

        def call(first: object, *rest: object) -> object:
            if first in fds or (name == "open" and first == str(path)):
                looks.append(name)
                if len(looks) == moment:
                    CHANGES[change](path)
            result = real(first, *rest)
            if name == "open" and first == str(path):
                fds.add(result)
            return result

        return call

    for name in ("open", "pread", "preadv", "read", "readv"):
        monkeypatch.setattr(os, name, hooked(name))
    session = [] if command == ["sessions", "ls"] else ["odd"]
    ran = run(*command, *session, "-W", tmp_path)
    assert len(looks) >= min(moment, 2)
    assert "Traceback" not in ran.err
    if ran.code == 2:  # it had gone before its folder was listed
        one_sentence(ran, 2, "No session answers to 'odd' among 1")
        assert change == "vanishes"
    elif ran.code == 3:
        one_sentence(ran, 3, "odd.jsonl cannot be read: it does not exist")
        assert change == "vanishes"
    else:
        assert ran.code == (1 if command[0] == "grep" else 0)
    if command == ["sessions", "ls"]:
        assert ran.rows[-1][1] == "good" or ran.rows[0][1] == "good"


@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_a_line_of_a_gigabyte_is_never_held(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "chat.jsonl"
    with path.open("wb") as file:
        file.write(GOOD.encode() + b'{"role":"user","content":"')
        file.truncate(1 << 30)
    limited = ["sh", "-c", 'ulimit -v 500000; exec "$@"', "sh", *MEMCLI, *command, "-W", str(path)]
    done = subprocess.run(limited, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == (1 if command[0] == "grep" else 0)
    assert "memcli: " not in done.stderr
    if command[0] != "sessions":
        assert "1 unreadable line passed over (1,073,741,779 bytes)" in done.stderr
    elif command[1] == "show":
        assert "row 2 (line 2, byte 45, 1,073,741,779 bytes) cannot be read: oversize-line" in done.stdout
