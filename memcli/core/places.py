"""One place in a session, named by row or line, with its neighbours."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from memcli.core.rows import Row, read
from memcli.errors import UsageError
from memcli.formats import load
from memcli.model import SessionRef
from memcli.storage.reading import open_regular


def around(ref: SessionRef, *, row: int | None = None, line: int | None = None, context: int = 0) -> Iterator[Row]:
    """The row numbered `row`, or the line numbered `line`, with `context` lines before and after it.

    Header lines count as neighbours, blank ones do not. Raises UsageError, saying how many there are, for a number
    beyond the file.
    """
    fd = open_regular(ref.path)
    try:
        before: deque[Row] = deque(maxlen=context)
        following = -1
        rows = lines = 0
        for candidate in read(fd, load(ref.agent)):
            rows, lines = max(rows, candidate.number), candidate.line.number
            hit = candidate.number == row if row is not None else candidate.line.number == line
            if hit:
                yield from before
                yield candidate
                following = context
                if not following:
                    return
            elif following > 0:
                if candidate.number or candidate.decoded.values:
                    yield candidate
                    following -= 1
                if not following:
                    return
            elif candidate.number or candidate.decoded.values:
                before.append(candidate)
        if following < 0:
            raise UsageError(_beyond(ref, row, line, rows, lines))
    finally:
        os.close(fd)


def _beyond(ref: SessionRef, row: int | None, line: int | None, rows: int, lines: int) -> str:
    if row is not None:
        return f"{ref.key} has no row {row}: its rows go from 1 to {rows}." if rows else f"{ref.key} has no rows."
    return f"{ref.key} has no line {line}: it has {lines} lines."
