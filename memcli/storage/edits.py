"""Splicing edits into the bytes of a file, once, and following row numbers across them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from memcli.model import Edit

PIECE = 1 << 20


class Overlap(ValueError):
    """Two edits want the same bytes."""


class Removed(NamedTuple):
    """Bytes that the edits take out, with where they stood and why."""

    offset: int
    data: bytes
    code: str


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """The edits by offset, insertions at one offset in the order given and before what is replaced there.

    Raises Overlap when two of them want the same bytes.
    """
    found = sorted(edits, key=lambda edit: (edit.offset, edit.length > 0))
    for one, other in pairwise(found):
        if other.offset < one.offset + one.length:
            raise Overlap(f"edits at {one.offset} ({one.code}) and {other.offset} ({other.code}) overlap")
    return found


def together(groups: Sequence[Sequence[Edit]]) -> tuple[list[int], list[int]]:
    """Which groups of edits can be made at once, the earlier given before the later, and which must wait for another round.

    A group is made whole or not at all: it is what mends one finding. Both lists are indexes into `groups`.
    """
    taken: list[tuple[int, int]] = []  # spans that are spoken for, by offset
    points: list[int] = []  # where something is put in
    now: list[int] = []
    later: list[int] = []
    for index, group in enumerate(groups):
        spans = [(edit.offset, edit.offset + edit.length) for edit in group]
        if any(_clashes(taken, points, start, end) for start, end in spans):
            later.append(index)
            continue
        now.append(index)
        for span in spans:
            if span[0] < span[1]:
                insort(taken, span)
            else:
                insort(points, span[0])
    return now, later


def _clashes(taken: Sequence[tuple[int, int]], points: Sequence[int], start: int, end: int) -> bool:
    """Whether a span overlaps one that is taken; an insertion only if it falls inside of one."""
    inside = bisect_right(points, start)
    if inside < len(points) and points[inside] < end:
        return True
    place = bisect_left(taken, (start, start))
    if place and taken[place - 1][1] > start:
        return True
    return place < len(taken) and taken[place][0] < end


def spliced(whole: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes with the edits made. Raises Overlap."""
    return b"".join(pieces(lambda offset, length: whole[offset : offset + length], len(whole), edits))


def pieces(read: Callable[[int, int], bytes], size: int, edits: Iterable[Edit]) -> Iterator[bytes]:
    """The bytes of a file of `size` bytes with the edits made, piece by piece; `read(offset, length)` gives the old ones.

    Raises Overlap before the first piece.
    """
    found = ordered(edits)
    return _pieces(read, size, found)


def _pieces(read: Callable[[int, int], bytes], size: int, edits: Sequence[Edit]) -> Iterator[bytes]:
    place = 0
    for edit in edits:
        yield from _kept(read, place, edit.offset)
        if edit.replacement:
            yield edit.replacement
        place = edit.offset + edit.length
    yield from _kept(read, place, size)


def removed(read: Callable[[int, int], bytes], edits: Iterable[Edit]) -> list[Removed]:
    """What the edits take out, in order: that is what goes to quarantine. Insertions take out nothing."""
    return [Removed(edit.offset, read(edit.offset, edit.length), edit.code) for edit in ordered(edits) if edit.length]


def _kept(read: Callable[[int, int], bytes], start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = read(start, min(PIECE, end - start))
        if not piece:
            return
        yield piece
        start += len(piece)
