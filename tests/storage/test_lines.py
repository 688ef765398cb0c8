"""The line reader, forwards and backwards, against bytes.split, for any bytes and any chunk size."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import Line
from memcli.storage import lines

# newlines often, and what other readers take for newlines: CR, U+2028, U+0085 in UTF-8
SOUP = st.lists(
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b"a", b"bcd", b"\0", b"\xe2\x80\xa8", b"\xc2\x85", b"\xff"])
    | st.binary(max_size=9),
    max_size=40,
).map(b"".join)
CHUNKS = st.integers(1, 20)


@contextmanager
def opened(data: bytes) -> Iterator[int]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        yield file.fileno()


def naive(data: bytes, limit: int = 1 << 60) -> list[Line]:
    found = []
    offset = 0
    pieces = data.split(b"\n")
    for index, piece in enumerate(pieces):
        ended = index < len(pieces) - 1
        if ended or piece:
            raw = piece if len(piece) <= limit else None
            found.append(Line(index + 1, offset, len(piece), raw, ended))
        offset += len(piece) + 1
    return found


@contextmanager
def sized(chunk: int, limit: int = 1 << 60) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", chunk)
        patch.setattr(lines, "FIRST", chunk)
        patch.setattr(lines, "MAX_LINE", limit)
        yield


@given(SOUP, CHUNKS)
def test_forward_is_split(data: bytes, chunk: int) -> None:
    with opened(data) as fd, sized(chunk):
        assert list(lines.forward(fd)) == naive(data)


@given(SOUP, CHUNKS)
def test_backward_is_split(data: bytes, chunk: int) -> None:
    with opened(data) as fd, sized(chunk):
        assert list(lines.backward(fd, len(data))) == [line._replace(number=0) for line in reversed(naive(data))]


@given(SOUP, CHUNKS, st.integers(0, 12))
def test_no_line_over_the_limit_is_held(data: bytes, chunk: int, limit: int) -> None:
    expected = naive(data, limit)
    with opened(data) as fd, sized(chunk, limit):
        assert list(lines.forward(fd)) == expected
        assert list(lines.backward(fd, len(data))) == [line._replace(number=0) for line in reversed(expected)]


@given(SOUP, CHUNKS, st.data())
def test_a_stretch(data: bytes, chunk: int, draw: st.DataObject) -> None:
    every = naive(data)
    starts = [line.offset for line in every] or [0]
    index = draw.draw(st.integers(0, len(starts) - 1))
    end = draw.draw(st.integers(starts[index], len(data)))
    part = [
        line._replace(number=line.number + index, offset=line.offset + starts[index])
        for line in naive(data[starts[index] : end])
    ]
    with opened(data) as fd, sized(chunk):
        assert list(lines.forward(fd, starts[index], index + 1, end)) == part
        backwards = list(lines.backward(fd, end))
        assert backwards[: len(part)] == [line._replace(number=0) for line in reversed(part)]


@given(SOUP, CHUNKS, st.data())
def test_count(data: bytes, chunk: int, draw: st.DataObject) -> None:
    every = naive(data)
    start = draw.draw(st.sampled_from([0, *(line.offset for line in every)]))
    stretch = data[start:]
    blanks = sum(1 for piece in stretch.split(b"\n")[:-1] if lines.is_blank(piece))
    with opened(data) as fd, sized(chunk):
        assert lines.count(fd, len(data), start) == (stretch.count(b"\n"), blanks)
        assert lines.count(fd, len(data) + 100, start) == (stretch.count(b"\n"), blanks)  # a file that shrank


@given(SOUP, st.binary(min_size=2, max_size=2) | st.sampled_from([b"\n\n", b"\n\r", b"\r\n", b"x\n"]))
def test_count_blanks(data: bytes, before: bytes) -> None:
    window = before + data
    naive_count = sum(1 for at in range(2, len(window)) if window[: at + 1].endswith((b"\n\n", b"\n\r\n")))
    assert lines.count_blanks(memoryview(window)) == naive_count


@pytest.mark.parametrize(
    ("raw", "blank"),
    [(b"", True), (b"\r", True), (b" ", False), (b"\r\r", False), (b"\0", False), (b"\xe2\x80\xa8", False)],
)
def test_blank(raw: bytes, blank: bool) -> None:
    assert lines.is_blank(raw) is blank


def test_a_file_that_grows_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    fd = os.open(path, os.O_RDONLY)
    try:
        with sized(4):
            reader = lines.forward(fd)
            assert next(reader).raw == b"one"
            with path.open("ab") as file:
                file.write(b"three\n")
            assert [line.raw for line in reader] == [b"two", b"three"]
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("left", "rest"),
    [(0, []), (4, [b"one"]), (6, [b"tw", b"one"]), (8, [b"two", b"one"]), (13, [b"three", b"two", b"one"])],
)
def test_a_file_that_shrinks_gives_what_is_left(left: int, rest: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = b"one\ntwo\nthree\nfour\nfive\nsix\n"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        with sized(4):
            reader = lines.backward(fd, len(data))
            assert next(reader).raw == b"six"
            os.truncate(path, left)
            assert [line.raw for line in reader if line.offset < left] == rest
        forward = lines.forward(fd, 4)
        os.truncate(path, 4)
        assert list(forward) == []
    finally:
        os.close(fd)


def test_many_short_lines_backwards_in_linear_work(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = b"\n" * 300_000
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        assert sum(1 for _ in lines.backward(fd, len(data))) == 300_000
        assert lines.count(fd, len(data)) == (300_000, 300_000)
    finally:
        os.close(fd)
