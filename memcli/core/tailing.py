"""The last rows of a file, read backwards: a file of any size is answered from its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from memcli.model import Decoded, Line
from memcli.storage.decode import decode
from memcli.storage.lines import backward, is_blank

OVERSIZE = Decoded((), "oversize-line")


class Last(NamedTuple):
    """The rows found, oldest first, with what was walked over to find them.

    `end` is the byte from which to follow the file: nothing before it is still to be shown. It is the end of
    the file, or the beginning of an unfinished last line that is not among `rows`. `start` is the first byte
    walked. `skipped_bytes` and `skipped_lines` count the lines from `start` on that could not be read.
    """

    rows: list[tuple[Line, Decoded]]
    start: int
    end: int
    skipped_bytes: int
    skipped_lines: int


def last(fd: int, n: int, keep: Callable[[Line, Decoded], bool]) -> Last:
    """The last `n` rows of `fd` that can be read and that `keep` wants; `Line.number` is 0 in them.

    `keep` is called with readable lines only, the last one first; it has to refuse the header.
    """
    size = start = end = os.fstat(fd).st_size
    rows: list[tuple[Line, Decoded]] = []
    skipped_bytes = skipped_lines = 0
    for line in backward(fd, size):
        if not line.ended:  # only the last line can be without a newline, so it is the first one here
            end = line.offset
        if n <= 0:
            break
        start = line.offset
        if line.raw is not None and is_blank(line.raw):
            continue
        decoded = OVERSIZE if line.raw is None else decode(line.raw)
        if not decoded.values:
            skipped_bytes += line.length
            skipped_lines += 1
        elif keep(line, decoded):
            rows.append((line, decoded))
            end = max(end, line.offset + line.length)
            if len(rows) == n:  # not a line later: the one before may be of any length
                break
    rows.reverse()
    return Last(rows, start, end, skipped_bytes, skipped_lines)
