"""Reading a journal: numbers, what is pending, and the lines that a reader passes over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.core import entries, journals
from memcli.core.entries import Damaged, Entry, Wish
from memcli.errors import CannotRead, UsageError
from memcli.formats import load
from memcli.model import Workspace


def journal(folder: Path, agent: str, data: bytes, position: str | None = None) -> journals.Journal:
    place = folder / ("agents/leader/memory" if agent == "cococat" else "memory")
    place.mkdir(parents=True)
    (place / "history.jsonl").write_bytes(data)
    (place / "MEMORY.md").write_text("")
    if position is not None:
        (place / ".dream_cursor").write_text(position)
    if agent == "nanobot":
        return journals.one(journals.find([Workspace(agent, str(folder), memory=(str(place),))]))
    return journals.one(journals.find(load(agent).layout.recognise(str(folder))))


def read(one: journals.Journal, **wish: object) -> tuple[list[Entry], list[Damaged]]:
    every = list(entries.read([one], Wish(**wish)))
    return [e for e in every if isinstance(e, Entry)], [e for e in every if isinstance(e, Damaged)]


def row(number: object, **more: object) -> bytes:
    return json.dumps({"cursor": number, "timestamp": "2026-05-01 10:00", "content": "x", **more}).encode() + b"\n"


TASK = b'{"prompt": "p", "response_summary": "r", "iterations": 1, "timestamp": "2026-05-06T10:00:00"}\n'
CASES = {
    # agent, bytes, position: (number, waits) of each entry, damaged lines
    "in order": ("nanobot", row(1) + row(2) + row(3), "1", [(1, False), (2, True), (3, True)], []),
    "back": ("nanobot", row(5) + row(2), "3", [(5, True), (2, False)], []),
    "a text for a number": ("nanobot", row(1) + row("2"), "0", [(1, True), (None, False)], [2]),
    "true for a number": ("nanobot", row(True), "0", [(None, False)], [1]),
    "no content": ("nanobot", b'{"cursor": 1}\n', "0", [(None, False)], [1]),
    "no object": ("nanobot", b"[]\n" + row(1), "0", [(None, False), (1, True)], [1]),
    "cut": ("nanobot", row(1) + b'{"cursor": 2, "ti', "0", [(1, True)], [2]),
    "blank lines": ("nanobot", b"\n\r\n" + row(1), "0", [(1, True)], []),
    "glued, by number": ("nanobot", row(1).strip() + row(2), "0", [(1, True), (2, True)], [1]),
    "another program's": ("nanobot", row(1), "2026-05-01T10:00:00", [(1, False)], []),
    "records": ("cococat", TASK * 3, "2", [(1, False), (2, False), (3, True)], []),
    "records from the end": ("cococat", TASK * 3, "-2", [(1, False), (2, True), (3, True)], []),
    "glued records": ("cococat", TASK + TASK.strip() + TASK + TASK, "1", [(1, False), (None, False)] * 1
                      + [(None, False), (2, True)], [2]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_numbers_and_what_waits(tmp_path: Path, case: str) -> None:
    agent, data, position, told, lines = CASES[case]
    found, damaged = read(journal(tmp_path, agent, data, position))
    assert [(one.number, one.waits) for one in found] == told
    assert [one.line for one in damaged] == lines
    assert all(one.why for one in damaged)


def test_wishes(tmp_path: Path) -> None:
    one = journal(tmp_path, "nanobot", b"".join(map(row, range(1, 8))) + b"{\n", "5")
    assert [e.number for e in read(one, since=3)[0]] == [4, 5, 6, 7]
    assert [e.number for e in read(one, pending=True)[0]] == [6, 7]
    found, damaged = read(one, last=2)
    assert [e.number for e in found] == [6, 7]
    assert [d.line for d in damaged] == [8]
    assert read(one, last=0)[0] == []


def test_the_session_is_told(tmp_path: Path) -> None:
    [entry], _ = read(journal(tmp_path, "nanobot", row(1, session_key="cli:direct")))
    assert entries.as_json(entry, "UTC")["session"] == "cli:direct"
    assert entries.as_json(entry, "UTC")["timestamp_utc"] == "2026-05-01T10:00:00.000Z"


def test_the_flaw_is_told(tmp_path: Path) -> None:
    [entry, _], _ = read(journal(tmp_path, "nanobot", row(1).strip() + row(2)))
    assert entries.as_json(entry)["flaw"] == "glued-lines"


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    one = journal(tmp_path, "nanobot", row(1))
    Path(one.file.path).unlink()
    assert read(one) == ([], [])
    assert journals.rows(one) is None
    Path(one.file.path).mkdir()
    with pytest.raises(CannotRead):
        read(one)
    with pytest.raises(CannotRead):
        journals.rows(one)


def test_files_that_are_no_journal() -> None:
    with pytest.raises(UsageError, match="keeps none"):
        journals.find([Workspace("jsonl", "/x", files=("/x/a.jsonl",))])
    with pytest.raises(UsageError, match="keeps none"):
        journals.find([Workspace("nanobot", "/x", memory=("/x/memory",), files=("/x/a.jsonl",))])
