"""A file of records as physical lines, forwards and backwards, in bounded memory.

Lines are split on byte 0x0A and on nothing else: U+2028, U+2029 and U+0085 inside a string are text, and a
CR before the newline belongs to the line. A line over MAX_LINE is reported (`raw` None) and passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memcli.model import Line

MAX_LINE = 64 << 20
CHUNK = 1 << 20
FIRST = 64 << 10
"""Bytes that the backward reader takes first: the last lines are all that is mostly wanted."""
PIECE = 4096
"""Most lines are shorter."""


def forward(fd: int, start: int = 0, number: int = 1, end: int | None = None) -> Iterator[Line]:
    """The lines of `fd` from byte `start`, the first of them numbered `number`, up to byte `end` if given.

    A file that grows meanwhile is read as far as it goes; one that shrinks ends early.
    """
    position = start
    held: list[bytes] = []  # pieces of a line that began in an earlier chunk
    held_size = 0
    line_start = start
    while end is None or position < end:
        chunk = os.pread(fd, CHUNK if end is None else min(CHUNK, end - position), position)
        if not chunk:
            break
        position += len(chunk)
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            length = held_size + len(piece)
            raw = None if length > MAX_LINE else b"".join((*held, piece)) if held_size else piece
            held, held_size = [], 0
            yield Line(number, line_start, length, raw, True)
            number += 1
            line_start += length + 1
        rest = pieces[-1]
        if rest:
            held_size += len(rest)
            if held_size <= MAX_LINE:
                held.append(rest)
            else:
                held = []
    if held_size:
        raw = None if held_size > MAX_LINE else b"".join(held)
        yield Line(number, line_start, held_size, raw, False)


def backward(fd: int, end: int) -> Iterator[Line]:
    """The lines that end at or before byte `end`, the last one first; `number` is 0: unknown from this side.

    Of a file that shrinks meanwhile, the lines that are left are given.
    """
    position = end
    held: list[bytes] = []  # pieces of the line whose beginning is not reached yet, last piece first
    held_size = 0
    ended = False
    at_end = True
    size = FIRST
    while position > 0:
        want = min(size, position)
        position -= want
        chunk = os.pread(fd, want, position)
        if len(chunk) < want:  # the file shrank under us: its end is here now, or still before here
            held, held_size, ended, at_end = [], 0, False, True
            if not chunk:
                continue
        size = min(size * 2, CHUNK)
        pieces = chunk.split(b"\n")
        stop = position + len(chunk)
        if at_end:
            at_end = False
            if pieces[-1] == b"":
                pieces.pop()
                stop -= 1
                ended = True
        for piece in reversed(pieces[1:]):
            length = held_size + len(piece)
            raw = None if length > MAX_LINE else b"".join((piece, *reversed(held)))
            held, held_size = [], 0
            stop -= len(piece)
            yield Line(0, stop, length, raw, ended)
            stop -= 1
            ended = True
        held_size += len(pieces[0])
        if held_size <= MAX_LINE:
            held.append(pieces[0])
        else:
            held = []
    if held or held_size:
        raw = None if held_size > MAX_LINE else b"".join(reversed(held))
        yield Line(0, 0, held_size, raw, ended)


def line_at(fd: int, offset: int) -> bytes:
    """The line that starts at a byte, with its newline; not more than MAX_LINE of it, b"" behind the file's end."""
    pieces: list[bytes] = []
    end = offset + MAX_LINE
    size = PIECE
    while offset < end:
        piece = os.pread(fd, size, offset)
        line, newline, _ = piece.partition(b"\n")
        pieces.append(line + newline)
        offset += len(piece)
        size = FIRST
        if newline or not piece:
            break
    return b"".join(pieces)


class Counted(NamedTuple):
    """Newlines and blank lines (empty, or a lone CR) in a stretch of bytes."""

    newlines: int
    blanks: int


def room() -> bytearray:
    """What `count` reads into, for many files in a row."""
    return bytearray(CHUNK + 2)


def count(fd: int, end: int, start: int = 0, buffer: bytearray | None = None) -> Counted:
    """Newlines and blank lines between two byte positions; `start` must be the start of a line.

    At memory speed (stringzilla), in one reused buffer, the one from `room` where that is given.
    """
    import stringzilla

    buffer = buffer or room()
    view = memoryview(buffer)
    buffer[0:2] = b"x\n"  # so that a blank first line shows as two newlines in a row
    newlines = blanks = 0
    position = start
    while position < end:
        got = os.preadv(fd, (view[2 : 2 + min(CHUNK, end - position)],), position)
        if not got:
            break
        position += got
        newlines += int(stringzilla.count(view[2 : 2 + got], b"\n"))
        blanks += count_blanks(view[: 2 + got])
        buffer[0:2] = bytes(view[got : got + 2])
    return Counted(newlines, blanks)


def count_blanks(window: memoryview) -> int:
    """Blank lines that end inside `window[2:]`, where `window[:2]` are the two bytes before it."""
    import stringzilla

    # overlapping: three newlines in a row are two blank lines
    found = int(stringzilla.count(window, b"\n\n", allowoverlap=True))
    found += int(stringzilla.count(window, b"\n\r\n", allowoverlap=True))
    return found - (bytes(window[:2]) == b"\n\n")


def is_blank(raw: bytes) -> bool:
    """Whether a line is blank: empty, or a lone CR. Spaces make a row that does not parse."""
    return raw in (b"", b"\r")
