"""A file of records as physical lines, forwards and backwards, in bounded memory.

Lines are split on byte 0x0A and on nothing else: U+2028, U+2029 and U+0085 inside a string are text, and a CR
before the newline belongs to the line. A line over MAX_LINE is reported (`raw` None) and passed over, not held.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memcli.model import Line

MAX_LINE = 64 << 20
CHUNK = 1 << 20


def forward(fd: int, start: int = 0, number: int = 1, end: int | None = None) -> Iterator[Line]:
    """The lines of `fd` from byte `start`, the first of them numbered `number`, up to byte `end` (default: the end).

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
            if held_size:
                raw = None if length > MAX_LINE else b"".join((*held, piece))
                held, held_size = [], 0
            else:
                raw = piece
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
    """The lines that end at or before byte `end`, the last one first; `number` is 0 (not known from this side)."""
    position = end
    held: list[bytes] = []  # pieces of the line whose beginning is not reached yet, last piece first
    held_size = 0
    ended = False
    size = 64 << 10
    at_end = True
    while position > 0:
        want = min(size, position)
        chunk = os.pread(fd, want, position - want)
        if len(chunk) < want:  # the file shrank under us: what is left of it is what there is
            return
        position -= want
        size = min(size * 2, CHUNK)
        pieces = chunk.split(b"\n")
        if at_end:
            at_end = False
            if pieces[-1] == b"":
                pieces.pop()
                ended = True
            if len(pieces) == 0:
                continue
        for index in range(len(pieces) - 1, 0, -1):
            piece = pieces[index]
            length = held_size + len(piece)
            raw = None if length > MAX_LINE else b"".join((piece, *reversed(held)))
            held, held_size = [], 0
            offset = position + sum(len(p) + 1 for p in pieces[:index])
            yield Line(0, offset, length, raw, ended)
            ended = True
        held_size += len(pieces[0])
        if held_size <= MAX_LINE:
            held.append(pieces[0])
        else:
            held = []
    if end > 0 and (held_size or ended or held):
        raw = None if held_size > MAX_LINE else b"".join(reversed(held))
        yield Line(0, 0, held_size, raw, ended)


class Counted(NamedTuple):
    """Newlines and blank lines (empty, or a lone CR) in a stretch of bytes."""

    newlines: int
    blanks: int


def count(fd: int, end: int, start: int = 0) -> Counted:
    """Newlines and blank lines between two byte positions, at memory speed; `start` must be the start of a line."""
    import stringzilla

    buffer = bytearray(CHUNK + 2)
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

    found = 0
    for needle in (b"\n\n", b"\n\r\n"):
        at = int(stringzilla.find(window, needle, 0, len(window)))
        while at >= 0:
            if at + len(needle) > 2:
                found += 1
            at = int(stringzilla.find(window, needle, at + 1, len(window)))
    return found


def is_blank(raw: bytes) -> bool:
    """Whether a line is blank: nothing between two newlines, or a lone CR. Spaces make a row that does not parse."""
    return raw in (b"", b"\r")
