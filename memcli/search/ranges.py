"""Cutting a large file into ranges for several processes, and putting their results together again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memcli.search.judge import SAMPLES
from memcli.search.parts import Part, Result, Unit


def cut(nth: int, size: int, step: int) -> list[Unit]:
    """The ranges of file `nth`, which is `size` bytes long."""
    return [Unit(nth, nth + 1, start, min(start + step, size)) for start in range(0, size, step)]


def joined(parts: Iterable[Result], nth: int, limit: int | None) -> Iterator[Part]:
    """The parts of a file's ranges, in order, as those of one file, lines and rows counted from its start.

    Takes no more of `parts` than up to the range in which the limit is reached.
    """
    total = Part(nth, [], True)
    shown = 0
    for part in parts:
        if not isinstance(part, Part):
            continue
        room = None if limit is None else limit - shown
        hits = [(line + total.lines, row + total.rows, offset, raw) for line, row, offset, raw in part.hits[:room]]
        shown += len(hits)
        if hits:
            yield Part(nth, hits)
        if part.whole:
            total = _sum(total, part)
            if limit is not None and total.matches >= limit:
                total = total._replace(matches=limit)
                break
    yield total


def _sum(total: Part, part: Part) -> Part:
    samples = [(line and line + total.lines, offset, size, inside) for line, offset, size, inside in part.samples]
    return Part(
        total.nth,
        [],
        True,
        0,
        total.matches + part.matches,
        total.lines + part.lines,
        total.rows + part.rows,
        total.unreadable + part.unreadable,
        total.unreadable_bytes + part.unreadable_bytes,
        total.containing + part.containing,
        (*total.samples, *samples)[:SAMPLES],
        total.oversize + part.oversize,
        total.oversize_bytes + part.oversize_bytes,
        total.error or part.error,
    )
