"""Going through files for the rows that match: hits and one report per file, in the order of the paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memcli.errors import CannotRead
from memcli.search.pattern import Pattern
from memcli.storage.lines import forward, is_blank
from memcli.storage.reading import open_regular

Texts = Callable[[bytes], Sequence[str] | None]
"""The texts of the record on a line (contract: memcli.search); None when the line cannot be read, empty when the record
is not asked for (then it never matches, inverted or not)."""


class Hit(NamedTuple):
    """A row that matches, or, with `matched` False, a neighbour that was asked for.

    `line` counts every line of the file from 1; `row` counts, from 1, those that are neither blank nor part of the
    leading header. `raw` is the line without its newline, `offset` the byte where it starts.
    """

    path: str
    line: int
    row: int
    offset: int
    raw: bytes
    matched: bool = True


class Unreadable(NamedTuple):
    """A line that may match but cannot be read; `contains` tells whether its unescaped bytes match nevertheless."""

    line: int
    offset: int
    length: int
    contains: bool


class Report(NamedTuple):
    """What became of one file; follows its hits.

    `matches` is the number of matching rows (at most the limit). `unreadable` counts the lines that could not be read
    among those that had to be, `unreadable_bytes` their bytes, `containing` those of them whose unescaped bytes match;
    `samples` are the first of them. `oversize` counts the lines over 64 MiB, which were passed over. `error` tells why
    the file could not be read, or not to its end.
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


def scan(
    paths: Iterable[str],
    pattern: Pattern,
    texts: Texts,
    *,
    is_preamble: Callable[[bytes], bool] | None = None,
    invert: bool = False,
    limit: int | None = None,
    hits: bool = True,
    before: int = 0,
    after: int = 0,
    jobs: int = 2,
) -> Iterator[Hit | Report]:
    """Search `paths` in order; for each its hits, then its Report.

    `is_preamble` is asked about the leading rows of a file until it says no; those before are no records. `invert`
    asks for the records that do not match. After `limit` matches the rest of a file is not searched. With `hits`
    False only reports come (to count, or with `limit` 1 to list files). `before` and `after` ask for that many rows
    around each hit. `texts` and `is_preamble` run in `jobs` forked processes where the system can fork. Close the
    iterator to stop early.
    """
    for path in paths:
        try:
            fd = open_regular(path)
        except CannotRead as error:
            yield Report(path, error=error)
            continue
        try:
            yield from _one(path, fd, pattern, texts, is_preamble, invert, limit, hits)
        finally:
            os.close(fd)


def _one(path, fd, pattern, texts, is_preamble, invert, limit, hits):  # type: ignore
    row = matches = unreadable = size = 0
    leading = is_preamble is not None
    for line in forward(fd):
        if line.raw is None or is_blank(line.raw):
            continue
        if leading and is_preamble(line.raw):
            continue
        leading = False
        row += 1
        got = texts(line.raw)
        if got is None:
            unreadable += 1
            size += line.length
        elif got and any(map(pattern.search, got)) is not invert:
            matches += 1
            if hits:
                yield Hit(path, line.number, row, line.offset, line.raw)
            if matches == limit:
                break
    yield Report(path, matches, unreadable, size)
