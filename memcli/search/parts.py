"""What the pieces of a search hand each other: units of work, files under way, and results that marshal can carry."""

from __future__ import annotations

from typing import NamedTuple

from memcli.errors import CannotRead
from memcli.storage.lines import MAX_LINE


class Hit(NamedTuple):
    """A row that matches, or, with `matched` False, a neighbour that was asked for.

    `line` counts every line of the file from 1; `row` counts, from 1, those that are neither blank nor part of
    the leading header. `raw` is the line without its newline, `offset` the byte where it starts.
    """

    path: str
    line: int
    row: int
    offset: int
    raw: bytes
    matched: bool = True


class Unreadable(NamedTuple):
    """A line that may match but cannot be read; `contains` tells whether its unescaped bytes match all the same.
    `line` is 0 where lines were not counted, because no hits were asked for."""

    line: int
    offset: int
    length: int
    contains: bool


class Report(NamedTuple):
    """What became of one file; follows its hits.

    `matches` is the number of matching rows, at most the limit. Of the lines that had to be decoded `unreadable`
    could not be, `unreadable_bytes` long together; the unescaped bytes of `containing` of them match all the
    same; `samples` are the first of them. `oversize` counts the lines over 64 MiB, `oversize_bytes` long together,
    which were passed over. `error` tells why the file could not be read, or not to its end.
    """

    path: str
    matches: int = 0
    unreadable: int = 0
    unreadable_bytes: int = 0
    containing: int = 0
    samples: tuple[Unreadable, ...] = ()
    oversize: int = 0
    oversize_bytes: int = 0
    error: CannotRead | None = None


class Sizes(NamedTuple):
    """In bytes: the read `buffer`, how full it is when it is searched (`batch`), the ranges into which a large file is
    `split` between processes (0: never), the longest line that is held, and from how much on work is shared between
    processes, when most lines need not be decoded (`fast`) and when all must be (`slow`): forking takes some 4 ms."""

    buffer: int = 1 << 20
    batch: int = 1 << 19
    split: int = 16 << 20
    max_line: int = MAX_LINE
    fast: int = 32 << 20
    slow: int = 1 << 20


class Unit(NamedTuple):
    """A piece of work: the files from `first` to before `last`; with `end`, of one file only the lines that start in
    its bytes `start` to before `end`."""

    first: int
    last: int
    start: int = 0
    end: int = 0


Found = tuple[int, int, int, bytes]
"""A hit: line, row, offset, raw. Lines and rows count from 1 at the start of the unit."""

Sample = tuple[int, int, int, bool]
"""An unreadable line: line (0 when lines are not counted), offset, length, whether it contains the pattern."""


class Part(NamedTuple):
    """Results of the `nth` file within one unit; the hits may come in several, the rest comes with the one that is `whole`.

    `split` is the size of a file that was left alone because it is to be searched in ranges. `lines` and `rows` are
    the totals of a range. `error` is the clause that tells why the file could not be read.
    """

    nth: int
    hits: list[Found]
    whole: bool = False
    split: int = 0
    matches: int = 0
    lines: int = 0
    rows: int = 0
    unreadable: int = 0
    unreadable_bytes: int = 0
    containing: int = 0
    samples: tuple[Sample, ...] = ()
    oversize: int = 0
    oversize_bytes: int = 0
    error: str = ""


Result = Part | int
"""Of a file there is nothing to tell about, only its place in the list of paths."""


class File:
    """A file under way.

    `leading` tells that no record has been met yet, so that the next rows may belong to the header; up to byte
    `records_from` they do. `lines` and `blanks` count up to place `counted` of the buffer. `done`: nothing more is
    asked of it; `whole`: all of it has been read.
    """

    records_from = header_rows = lines = blanks = counted = split = 0
    matches = unreadable = unreadable_bytes = containing = oversize = oversize_bytes = 0
    samples: tuple[Sample, ...] = ()
    error = ""
    done = whole = False

    def __init__(self, nth: int, leading: bool) -> None:
        self.nth = nth
        self.leading = leading
        self.hits: list[Found] = []

    def take(self) -> Result:
        """The results since the last call."""
        if not self.whole:
            hits, self.hits = self.hits, []
            return Part(self.nth, hits)
        if not (self.matches or self.lines or self.unreadable or self.oversize or self.split or self.error):
            return self.nth
        return self._part()

    def _part(self) -> Part:
        return Part(
            self.nth,
            self.hits,
            True,
            self.split,
            self.matches,
            self.lines,
            self.lines - self.blanks - self.header_rows,
            self.unreadable,
            self.unreadable_bytes,
            self.containing,
            self.samples,
            self.oversize,
            self.oversize_bytes,
            self.error,
        )


class Segment(NamedTuple):
    """Whole lines of one file in the buffer: from `place`, where byte `offset` of the file is, to the next segment.
    `counted` asks for the lines of all of it to be counted, because the line numbers of what follows need it."""

    place: int
    offset: int
    file: File
    counted: bool
