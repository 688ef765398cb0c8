"""The last rows of a file: what is shown, what is passed over, and where following goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.tailing import Last, last
from memcli.model import Decoded, Line
from memcli.storage import lines
from memcli.storage.decode import decode


@contextmanager
def opened(path: Path, data: bytes) -> Iterator[int]:
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def is_row(_: Line, decoded: Decoded) -> bool:
    return "key" not in decoded.values[0]


def values(found: Last) -> list[Any]:
    return [decoded.values[0] for _, decoded in found.rows]


HEADER = b'{"key":"k"}\n'
A, B, C = b'{"a":1}\n', '{"b":"你好"}\n'.encode(), b'{"c":3}\n'


@pytest.mark.parametrize(
    ("data", "n", "rows", "end", "skipped"),
    [
        (b"", 5, [], 0, (0, 0)),
        (HEADER, 5, [], 12, (0, 0)),
        (HEADER + A + B + C, 2, [{"b": "你好"}, {"c": 3}], 43, (0, 0)),
        (HEADER + A + B + C, 5, [{"a": 1}, {"b": "你好"}, {"c": 3}], 43, (0, 0)),
        (HEADER + A + B + C, 0, [], 43, (0, 0)),
        (A + b"\n\r\n" + C + b"\n", 5, [{"a": 1}, {"c": 3}], 20, (0, 0)),
        # what cannot be read is passed over and counted, but not what stands before the rows
        (b"junk\n" + A + b"torn{\n" + C, 2, [{"a": 1}, {"c": 3}], 27, (5, 1)),
        (b"junk\n" + A + b"torn{\n" + C, 3, [{"a": 1}, {"c": 3}], 27, (9, 2)),
        (b"\xff\n" * 10, 3, [], 20, (10, 10)),
        # a last line without a newline: whole, so shown; or not yet whole, so still to come
        (A + C[:-1], 1, [{"c": 3}], 15, (0, 0)),
        (A + C[:-1], 0, [], 8, (0, 0)),
        (A + C[:4], 1, [{"a": 1}], 8, (4, 1)),
        (A + C[:4], 0, [], 8, (0, 0)),
        (A + HEADER[:-1], 1, [{"a": 1}], 8, (0, 0)),
        (A + b'{"a":"\xff"}\n', 1, [{"a": "\ufffd"}], 18, (0, 0)),
    ],
)
def test_last(data: bytes, n: int, rows: list[Any], end: int, skipped: tuple[int, int], tmp_path: Path) -> None:
    with opened(tmp_path / "f", data) as fd:
        found = last(fd, n, is_row)
    assert values(found) == rows
    assert found.end == end
    assert (found.skipped_bytes, found.skipped_lines) == skipped


@given(
    st.lists(st.sampled_from([A, B, HEADER, b"\n", b"junk\n", b"\0\0\n"])),
    st.integers(0, 6),
    st.integers(0, 9),
)
def test_last_is_the_end_of_a_forward_reading(pieces: list[bytes], n: int, cut: int) -> None:
    data = b"".join(pieces)[: -cut or None]
    fd = os.memfd_create("f")
    try:
        os.write(fd, data)
        found = last(fd, n, is_row)
        readable = [(line, decode(line.raw)) for line in lines.forward(fd) if line.raw]
    finally:
        os.close(fd)
    rows = [(line._replace(number=0), what) for line, what in readable if what.values and is_row(line, what)]
    assert found.rows == (rows[-n:] if n else [])
    assert found.start <= len(data)
    assert found.end == len(data) or data[found.end - 1 : found.end] in (b"", b"\n")


def test_the_start_of_the_stretch(tmp_path: Path) -> None:
    with opened(tmp_path / "f", A + b"junk\n" + C) as fd:
        assert last(fd, 1, is_row).start == 13
        assert last(fd, 2, is_row).start == 0


def test_a_line_over_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 100)
    with opened(tmp_path / "f", A + b'{"long":"' + b"x" * 5000 + b'"}\n' + C) as fd:
        found = last(fd, 2, is_row)
    assert values(found) == [{"a": 1}, {"c": 3}]
    assert (found.skipped_bytes, found.skipped_lines) == (5011, 1)


def test_only_the_end_of_a_large_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(A)
    os.truncate(path, 10 << 30)  # a hole: no disk is used, and nobody reads that much by accident
    with path.open("ab") as file:
        file.write(b"\n" + B + C)
    read = []
    pread = os.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        read.append(size)
        return pread(fd, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    fd = os.open(path, os.O_RDONLY)
    try:
        assert values(last(fd, 2, is_row)) == [{"b": "你好"}, {"c": 3}]
    finally:
        os.close(fd)
    assert sum(read) < 1 << 20
