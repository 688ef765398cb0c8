"""Rows around hits: every row once, in order, as many as asked for."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search.helpers import is_header

from memcli.search.pattern import compile_pattern
from memcli.search.scan import Hit, Report, scan


def read(raw: bytes) -> list[str] | None:
    return None if raw.startswith(b"torn") else [raw.decode()]


def wanted(data: bytes, before: int, after: int) -> list[tuple[int, int, int, bytes, bool]]:
    """The rows that a person would mark by hand: (line, row, offset, raw, matched)."""
    rows = []
    offset = 0
    leading = True
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw not in (b"", b"\r"):
            leading = leading and is_header(raw)
            if not leading:
                rows.append((number, len(rows) + 1, offset, raw))
        offset += len(raw) + 1
    matched = {index for index, row in enumerate(rows) if b"x" in row[3] and not row[3].startswith(b"torn")}
    return [
        (*row, index in matched)
        for index, row in enumerate(rows)
        if any(index - after <= match <= index + before for match in matched)
    ]


LINES = st.lists(st.sampled_from([b"x", b"a", b"b", b"", b"\r", b"torn x", b"long" * 6000, b"x" * 20_000]), max_size=14)


@given(lines=LINES, header=st.booleans(), before=st.integers(0, 3), after=st.integers(0, 3), ended=st.booleans())
def test_neighbours(lines, header, before, after, ended, tmp_path_factory):
    data = b"\n".join([b'{"header"x'] * header + lines) + b"\n" * ended
    path = tmp_path_factory.mktemp("context") / "a.jsonl"
    path.write_bytes(data)
    events = list(scan([str(path)], compile_pattern(["x"]), read, is_preamble=is_header, before=before, after=after))
    assert isinstance(events[-1], Report)
    assert [event[1:] for event in events[:-1]] == wanted(data, before, after)


def test_files_do_not_run_into_each_other(tmp_path):
    paths = []
    for name in "abc":
        (tmp_path / name).write_bytes(b"1\nx\n3\n")
        paths.append(str(tmp_path / name))
    events = list(scan(paths, compile_pattern(["x"]), read, before=5, after=5))
    assert [event[:3] if isinstance(event, Hit) else event for event in events] == [
        entry for path in paths for entry in [(path, 1, 1), (path, 2, 2), (path, 3, 3), Report(path, 1)]
    ]


def test_after_the_last_match_that_counts_others_are_neighbours(tmp_path):
    (tmp_path / "a").write_bytes(b"x\nx\nx\nx\n")
    events = list(scan([str(tmp_path / "a")], compile_pattern(["x"]), read, after=2, limit=1))
    assert [(hit.row, hit.matched) for hit in events[:-1]] == [(1, True), (2, False), (3, False)]


def test_context_of_rows_that_do_not_match(tmp_path):
    (tmp_path / "a").write_bytes(b"x\na\nx\n")
    events = list(scan([str(tmp_path / "a")], compile_pattern(["x"]), read, before=1, invert=True))
    assert [(hit.row, hit.matched) for hit in events[:-1]] == [(1, False), (2, True)]


@pytest.mark.parametrize(("change", "rows"), [
    (os.remove, [(2, True), (5, True)]),
    (lambda path: os.truncate(path, 4), [(1, False), (2, True), (5, True)]),
])  # fmt: skip
def test_a_file_that_is_gone_or_shorter_has_no_neighbours(tmp_path, change, rows):
    path = tmp_path / "a"
    path.write_bytes(b"1\nx\n3\n4\nx\n6\n")
    done = []

    def changing(raw: bytes) -> list[str]:
        if not done:
            done.append(change(path))
        return [raw.decode()]

    events = scan([str(path)], compile_pattern(["x"]), changing, before=1, after=1)
    assert [(event.row, event.matched) for event in events if isinstance(event, Hit)] == rows


def test_closing_early_closes_the_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"1\nx\n3\n" * 10)
    before = len(os.listdir("/proc/self/fd"))
    events = scan([str(path)], compile_pattern(["x"]), read, before=1, after=1)
    next(events)
    next(events)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    events.close()
    assert len(os.listdir("/proc/self/fd")) == before
