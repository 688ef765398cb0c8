"""Rows around hits, read again from the file in small pieces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from memcli.errors import CannotRead
from memcli.search.parts import Hit, Report
from memcli.storage.lines import MAX_LINE, backward, is_blank
from memcli.storage.reading import open_regular

_STEP = 1 << 14


def surround(events: Iterable[Hit | Report], before: int, after: int) -> Iterator[Hit | Report]:
    """The same events with up to `before` and `after` neighbouring rows around each hit, none of them twice.

    Neighbours are Hits whose `matched` is False; after the last hit of a file also rows that match are neighbours.
    A file that cannot be opened again, or is shorter now, gives no neighbours.
    """
    fd = -1
    last: Hit | None = None
    try:
        for event in events:
            if isinstance(event, Report):
                if last and fd >= 0:
                    yield from _after(fd, last, after, None)
                    os.close(fd)
                fd, last = -1, None
            else:
                if last is None:
                    fd = _opened(event.path)
                if fd >= 0:
                    followers = list(_after(fd, last, after, event)) if last else []
                    yield from followers
                    yield from _before(fd, event, before, followers[-1] if followers else last)
                last = event
            yield event
    finally:
        if fd >= 0:
            os.close(fd)


def _opened(path: str) -> int:
    try:
        return open_regular(path)
    except CannotRead:
        return -1


def _before(fd: int, hit: Hit, most: int, last: Hit | None) -> list[Hit]:
    """Up to `most` rows right before `hit`, those after `last` only, in the order of the file."""
    floor = last.row if last else 0
    most = min(most, hit.row - 1 - floor)
    found: list[Hit] = []
    line, row, offset = hit.line, hit.row, hit.offset
    for each in backward(fd, hit.offset) if most > 0 else ():
        if each.offset + each.length + 1 != offset:
            break  # the file is shorter now
        line, offset = line - 1, each.offset
        if each.raw is not None and is_blank(each.raw):
            continue
        row -= 1
        if each.raw is not None:
            found.append(Hit(hit.path, line, row, each.offset, each.raw, False))
        if hit.row - row == most:
            break
    return found[::-1]


def _after(fd: int, hit: Hit, most: int, following: Hit | None) -> Iterator[Hit]:
    """Up to `most` rows right after `hit`, those before the `following` hit only."""
    stop = min(hit.row + most, following.row - 1 if following else hit.row + most)
    offset, line, row = hit.offset + len(hit.raw) + 1, hit.line, hit.row
    while row < stop:
        raw = _line(fd, offset)
        if raw is None:
            return
        line += 1
        if not is_blank(raw):
            row += 1
            yield Hit(hit.path, line, row, offset, raw, False)
        offset += len(raw) + 1


def _line(fd: int, offset: int) -> bytes | None:
    """The line that starts at `offset`; None at the end of the file or when it is over MAX_LINE."""
    step = _STEP
    while True:
        raw = os.pread(fd, step, offset)
        stop = raw.find(b"\n")
        if stop >= 0:
            return raw[:stop]
        if len(raw) < step:
            return raw or None
        if step > MAX_LINE:
            return None
        step *= 4
