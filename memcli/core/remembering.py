"""What a follower remembers of the lines it has passed, to tell new rows from old ones in a rewritten file.

Agents write the whole file anew at every message: the header changes, rows are trimmed at the front, and
the new file takes the old one's name or is written over it. A line is known by the hash of its bytes and
its order.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from typing import NamedTuple

from memcli.model import Line
from memcli.storage.lines import backward

WINDOW = 1 << 20
"""Bytes before the starting place that are read to be recognised later."""
MOST = 1 << 16
"""Lines that are remembered of one file."""
TRIES = 16
"""How often a last line is looked for at its old place: the newest of them may have been changed."""


class Place(NamedTuple):
    """A place between two lines: byte `position`, `passed` remembered lines before it. `unfinished`: the last
    of them has no newline yet."""

    position: int
    passed: int
    unfinished: bool


class History:
    """The lines before a place in a file, the last MOST of them. `whole`: from the beginning of the file
    on."""

    def __init__(self) -> None:
        self.hashes = array("q")
        self.sizes = array("q")
        self.base = 0  # the byte where the first remembered line begins
        self.first = -1  # the size of the first line of the file, which is its header; -1: not known
        self.whole = True

    @classmethod
    def before(cls, fd: int, position: int) -> tuple[History, bool]:
        """The history of the lines before byte `position`, and whether the last of them is unfinished."""
        history = cls()
        unfinished = False
        found = []
        for line in backward(fd, position):
            unfinished = unfinished or not line.ended
            found.append((_hash(line), line.length))
            history.base = line.offset
            if position - line.offset > WINDOW or len(found) == MOST:
                break
        history.whole = history.base == 0
        for number, size in reversed(found):
            history.hashes.append(number)
            history.sizes.append(size)
        history.first = history.sizes[0] if history.whole and found else first_size(fd)
        return history, unfinished

    def add(self, line: Line) -> None:
        """Remember one more line."""
        if line.offset == 0:
            self.first = line.length
        self.hashes.append(_hash(line))
        self.sizes.append(line.length)
        if len(self.hashes) > MOST * 5 // 4:
            extra = len(self.hashes) - MOST
            self.base += sum(self.sizes[:extra]) + extra
            self.whole = False
            del self.hashes[:extra], self.sizes[:extra]

    def keep(self, passed: int) -> None:
        """Forget all lines but the first `passed` remembered ones."""
        del self.hashes[passed:], self.sizes[passed:]

    def find(self, fd: int) -> Place | None:
        """The place in a rewritten file behind the last remembered line that still stands where it stood,
        or as much further as the header has grown. None when none of the last lines does."""
        size = os.fstat(fd).st_size
        first = first_size(fd)
        grown = first - self.first if first >= 0 and self.first >= 0 else 0
        known = len(self.hashes)
        end = self.base + sum(self.sizes) + known  # behind the newline of the last one
        tried = 0
        for passed in range(known, 0, -1):
            for shift in {0: None, grown: None}:  # a set in order
                if end - 1 + shift > size:
                    continue
                tried += 1
                if self._stands(fd, passed, end + shift):
                    self._move(shift)
                    unfinished = os.pread(fd, 1, end + shift - 1) != b"\n"
                    return Place(end + shift - unfinished, passed, unfinished)
            if tried >= TRIES:
                return None
            end -= self.sizes[passed - 1] + 1
        return None

    def _stands(self, fd: int, passed: int, end: int) -> bool:
        """Whether the last three of the first `passed` lines, fewer if they are long, end before byte
        `end`."""
        few, size = 1, self.sizes[passed - 1] + 1
        while few < min(passed, 3) and size + self.sizes[passed - few - 1] < WINDOW // 4:
            size += self.sizes[passed - few - 1] + 1
            few += 1
        with_header = self.whole and few == passed > 1  # which may be another one now
        start = 0 if with_header else end - size
        if start < 0 or (start > 0 and os.pread(fd, 1, start - 1) != b"\n"):
            return False
        hashes = [hash(raw) for raw in os.pread(fd, end - 1 - start, start).split(b"\n")]
        return len(hashes) == few and hashes[with_header:] == list(self.hashes[passed - few + with_header : passed])

    def _move(self, shift: int) -> None:
        self.first += shift
        if self.whole and self.sizes:
            self.sizes[0] += shift
        else:
            self.base += shift


class Recognition:
    """Tells the old lines in a file that is read anew: those of `old`, in their order, each once.

    `decided` is False as long as it is not sure that a line that is not known is new: before the first old
    one, when not all old lines are remembered (`whole`). `fresh` are the lines that were shown since, in case
    the file is written anew once more.
    """

    def __init__(self, old: list[int], whole: bool, passed: int = 0) -> None:
        """The first `passed` of the old lines were found already."""
        self.old = old
        self.whole = whole
        self.fresh: list[int] = []
        self.decided = passed > 0
        self._at = passed - 1
        self._places: dict[int, list[int]] = {}
        for index, number in enumerate(old):
            self._places.setdefault(number, []).append(index)

    @property
    def done(self) -> bool:
        """Whether the last old line has come: what follows is new."""
        return self._at == len(self.old) - 1

    def knows(self, line: Line) -> bool:
        """Whether this line, the next of the file, is an old one."""
        places = self._places.get(_hash(line), ())
        index = bisect_right(places, self._at)
        if index == len(places):
            return False
        self._at = places[index]
        return True

    def show(self, line: Line) -> None:
        """Note that the line was shown."""
        self.fresh.append(_hash(line))

    def remembered(self) -> list[int]:
        """All lines that were ever passed or shown, for the next recognition."""
        return [*self.old, *self.fresh][-MOST:]


def first_size(fd: int) -> int:
    """The size of the first line; -1 when it does not end within 64 KiB."""
    return os.pread(fd, 1 << 16, 0).find(b"\n")


def _hash(line: Line) -> int:
    return hash(line.raw) if line.raw is not None else hash(("over the limit", line.length))
