"""What a listing tells of single files, and that two processes tell the same as one."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from memcli.core import discovering, listing
from memcli.core.listing import SessionRow
from memcli.core.peeking import Members

TIME = "2026-05-20T08:30:00.000Z"
HEADER = {
    "key": "desktop:a",
    "title": "T",
    "preview": "P",
    "created_at": TIME,
    "updated_at": TIME,
    "last_consolidated": 0,
    "metadata": {},
}
ROW = {"id": 1, "sessionKey": "desktop:a", "role": "user", "content": "hi", "timestamp": "2026-05-20T08:31:00.000Z"}


def write(path: Path, *values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def listed(folder: Path, agent: str | None = None) -> dict[str, SessionRow]:
    """The rows by file name."""
    rows = listing.sessions(discovering.find([str(folder)], agent))
    return {os.path.basename(row.file): row for row in rows}


HEADERS = {
    # first lines of a catbuddy file called desktop_a.jsonl: the damage that its header shows
    "whole": ([HEADER, ROW], ()),
    "missing": ([ROW], ("missing-header",)),
    "no object": ([[1], ROW], ("not-a-record", "corrupt-header")),
    "without a time": ([{**HEADER, "updated_at": None}, ROW], ("header-incomplete",)),
    "of another name": ([{**HEADER, "key": "desktop:b"}, ROW], ("name-mismatch",)),
    "of another name and incomplete": (
        [{"key": "desktop:b", "created_at": TIME}, ROW],
        ("header-incomplete", "name-mismatch"),
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_what_is_wrong_with_a_header(tmp_path: Path, name: str) -> None:
    values, damage = HEADERS[name]
    write(tmp_path / "sessions" / "desktop_other.jsonl", {**HEADER, "key": "desktop:other"}, ROW)
    write(tmp_path / "sessions" / "desktop_a.jsonl", *values)
    rows = listed(tmp_path)
    assert rows["desktop_a.jsonl"].damage == damage
    assert rows["desktop_other.jsonl"].damage == ()


def test_a_torn_header(tmp_path: Path) -> None:
    path = write(tmp_path / "sessions" / "desktop_a.jsonl", HEADER, ROW)
    path.write_bytes(path.read_bytes()[40:])
    assert listed(tmp_path, "catbuddy")["desktop_a.jsonl"].damage[-1] == "corrupt-header"


def test_a_named_file_may_have_any_name(tmp_path: Path) -> None:
    path = write(tmp_path / "copy of a.jsonl", HEADER, ROW)
    assert listed(path)["copy of a.jsonl"].damage == ()


@pytest.mark.parametrize("size", [5_000, 70_000, 900_000])
def test_a_header_longer_than_the_first_look(tmp_path: Path, size: int) -> None:
    path = write(tmp_path / "a.jsonl", {**HEADER, "metadata": {"x": "端" * (size // 6)}, "title": "after all"}, ROW)
    row = listed(path)["a.jsonl"]
    assert (row.agent, row.key, row.title, row.damage) == ("catbuddy", "desktop:a", "after all", ())


def test_a_header_without_end_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"key":"desktop:a","title":"' + "x" * (3 << 20))
    assert listed(path)["a.jsonl"].title == ""


def test_what_the_header_does_not_say_comes_from_the_rows(tmp_path: Path) -> None:
    rows = [{"role": "user", "content": f"question {n}", "timestamp": f"2026-05-20T08:{n:02}:00Z"} for n in range(60)]
    path = write(
        tmp_path / "a.jsonl", *[{**row, "padding": "x" * 300} for row in rows], {"role": "tool", "content": "t"}
    )
    row = listed(path)["a.jsonl"]
    assert (row.created_at, row.updated_at, row.preview) == (
        "2026-05-20T08:00:00Z",
        "2026-05-20T08:59:00Z",
        "question 59",
    )


def test_a_long_preview_is_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"role": "user", "content": "端" * 500})
    assert listed(path)["a.jsonl"].preview == "端" * 120


def test_newest_first_and_keys_in_order_where_times_are_equal(tmp_path: Path) -> None:
    for name, time in (("b", 2000), ("a", 2000), ("c", 3000), ("d", 1000)):
        os.utime(write(tmp_path / f"{name}.jsonl", {"x": 1}), (time, time))
    assert list(listed(tmp_path)) == ["c.jsonl", "a.jsonl", "b.jsonl", "d.jsonl"]


def test_a_link_out_of_the_workspace_is_odd_and_one_inside_is_not(tmp_path: Path) -> None:
    write(tmp_path / "outside.jsonl", {"role": "user", "content": "secret"})
    write(tmp_path / "in" / "a.jsonl", {"role": "user", "content": "hi"})
    os.symlink("../outside.jsonl", tmp_path / "in" / "b.jsonl")
    os.symlink("a.jsonl", tmp_path / "in" / "c.jsonl")
    assert {name: row.damage for name, row in listed(tmp_path / "in").items()} == {
        "a.jsonl": (),
        "b.jsonl": ("odd-file",),
        "c.jsonl": (),
    }


def test_a_sessions_folder_that_cannot_be_listed_has_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sessions" / "desktop_a.jsonl", HEADER, ROW)
    workspaces = discovering.find([str(tmp_path)])
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not path.endswith("sessions") and real(path, mode))
    assert "sessions" in [os.path.basename(path) for path in listing.paths(workspaces[0])]


def test_leftovers(tmp_path: Path) -> None:
    path = write(tmp_path / "sessions" / "desktop_a.jsonl", HEADER, ROW)
    write(tmp_path / "sessions" / "desktop_a.jsonl.tmp", HEADER)
    [workspace] = discovering.find([str(tmp_path)])
    assert listing.leftovers(workspace) == [f"{path}.tmp"]
    assert listing.leftovers(discovering.single(str(path), None)) == []


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """Files of every kind, also one with a name that is no text."""
    for number in range(7):
        write(tmp_path / f"chat-{number}.jsonl", {"role": "user", "content": "\ud83d", "timestamp": TIME})
    write(tmp_path / os.fsdecode(b"odd\xff.jsonl"), {"role": "user", "content": "hi"})
    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "empty.jsonl").touch()
    return tmp_path


def test_two_processes_tell_what_one_tells(crowd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = listed(crowd)
    monkeypatch.setattr(listing, "FORK_FROM", 2)
    assert listed(crowd) == alone
    assert len(alone) == 10


def test_lines_are_those_of_the_rows(crowd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspaces = discovering.find([str(crowd)])
    rows = listing.sessions(workspaces)

    def line(row: Members) -> bytes:
        return repr(tuple(row)).encode()

    expected = [(row.key, row.path, row.size, row.damage, row.updated, line(row)) for row in rows]
    for least in (10_000, 2):
        monkeypatch.setattr(listing, "FORK_FROM", least)
        found = listing.written(workspaces, line)
        assert [(row.key, row.path, row.size, row.damage, row.updated, row.line) for row in found] == expected


@pytest.mark.parametrize("size", [4096, 4097, 8192, 8193])
def test_files_about_as_long_as_what_is_looked_at(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.jsonl"
    first, last = (f'{{"role":"user","content":"{word}","timestamp":"{TIME}"}}\n' for word in ("first", "last"))
    middle = json.dumps({"role": "assistant", "content": ""}) + "\n"
    middle = middle.replace('""', '"' + "x" * (size - len(first + middle + last)) + '"')
    path.write_text(first + middle + last)
    row = listed(path)["a.jsonl"]
    assert (row.size, row.preview, row.updated_at, row.damage) == (size, "last", TIME, ())
    path.write_text(first + middle + last[:-1])
    assert listed(path)["a.jsonl"].damage == ("missing-final-newline",)


def test_no_row_is_lost_with_the_second_process(crowd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = listed(crowd)
    monkeypatch.setattr(listing, "FORK_FROM", 2)
    real = os.fork

    def fork() -> int:
        pid = real()
        if pid == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return pid

    monkeypatch.setattr(os, "fork", fork)
    assert listed(crowd) == alone
