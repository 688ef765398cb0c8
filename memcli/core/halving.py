"""A large file in two processes: each screens one half, and the facts of the second are joined to those of the first."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from memcli.core.rows import preamble
from memcli.errors import CannotRead
from memcli.formats.facets import Format
from memcli.model import Finding
from memcli.storage.collecting import Joiner, frames
from memcli.storage.lines import MAX_LINE, count
from memcli.storage.screen import Screening, Stray, Suspect

FROM = 32 << 20
"""Smaller files are not worth a second process."""
COUNTS = ("lines", "rows", "blanks", "crlf", "returns", "checks", "oversize", "unjudged")
OnLine = Callable[[Suspect, int], Iterator[Finding]]
"""What is found on a suspect line, given how many checksum lines stand before it."""


class Half:
    """The second half of a file, being screened by another process; `start` is where it begins."""

    def __init__(self, pid: int, pipe: BinaryIO, start: int) -> None:
        self.pid, self.pipe, self.start = pid, pipe, start

    def collect(self, screening: Screening) -> Iterator[Finding]:
        """The findings on lines of the second half; its counts and facts are added to `screening`, the first half's.

        Raises CannotRead when the other process was killed.
        """
        joiner = Joiner(screening.collector.facts) if screening.collector else None
        done = False
        with self.pipe:
            while not done:
                try:
                    name, values = marshal.load(self.pipe)
                except (EOFError, ValueError, TypeError):
                    break
                if name == "finding":
                    yield Finding(*values)
                elif name == "counts":
                    _add(screening, values)
                elif name == "stray":
                    line, row, value = values
                    screening.strays.append(_stray(line, row, value))
                elif name == "done":
                    done = True
                elif joiner:
                    joiner.take(name, values)
        os.waitpid(self.pid, 0)
        if not done:
            why = "the process that read its second half was killed"
            raise CannotRead(f"A file was read only in part: {why}.", why=why)


def second_half(fd: int, size: int, fresh: Callable[[], Screening], on_line: OnLine, form: Format) -> Half | None:
    """Start screening the second half; None when the file is too small, has no line to part it at, or cannot be parted."""
    if size < FROM or not hasattr(os, "fork"):
        return None
    middle = _line_start(fd, size // 2, size)
    if not middle:
        return None
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return Half(pid, os.fdopen(reader, "rb"), middle)
    code = 1
    try:
        os.close(reader)
        with os.fdopen(writer, "wb", 1 << 16) as pipe:
            _work(pipe, fd, middle, size, fresh(), on_line, form)
        code = 0
    finally:
        os._exit(code)  # the child must never return into the caller's code


def _work(pipe: BinaryIO, fd: int, start: int, size: int, screening: Screening, on_line: OnLine, form: Format) -> None:
    before = count(fd, start)
    rows = before.newlines - before.blanks - preamble(fd, form).headers
    covered = -1
    for suspect in screening.suspects(fd, start, size, lines=before.newlines, rows=rows, top=False):
        if suspect.line.offset < covered:
            continue
        for finding in on_line(suspect, screening.checks):
            if finding.offset is not None and finding.length is not None:
                covered = max(covered, finding.offset + finding.length)
            _send(pipe, "finding", (*finding[:-1], dict(finding.data)))
    for stray in screening.strays:
        _send(pipe, "stray", (tuple(stray.line), stray.row, stray.value))
    counts = {name: getattr(screening, name) for name in COUNTS}
    counts.update(ended=screening.ended)
    _send(pipe, "counts", counts)
    if screening.collector:
        for name, values in frames(screening.collector.facts):
            _send(pipe, name, values)
    _send(pipe, "done", None)


def _send(pipe: BinaryIO, name: str, values: Any) -> None:
    marshal.dump((name, values), pipe)


def _add(screening: Screening, values: dict[str, Any]) -> None:
    """Lines and rows were counted on from the first half's end, the rest from 0."""
    screening.lines, screening.rows = values["lines"], values["rows"]
    screening.ended = values["ended"]
    for name in COUNTS[2:]:
        setattr(screening, name, getattr(screening, name) + values[name])
    if screening.unjudged:
        screening.collector = None


def _stray(line: tuple[Any, ...], row: int, value: Any) -> Stray:
    from memcli.model import Line

    return Stray(Line(*line), row, value)


def _line_start(fd: int, place: int, end: int) -> int:
    """Where the first line behind `place` starts, 0 when none does within a line's greatest length."""
    stop = min(end, place + MAX_LINE)
    while place < stop:
        piece = os.pread(fd, 1 << 16, place)
        cut = piece.find(b"\n")
        if cut >= 0:
            return place + cut + 1 if place + cut + 1 < end else 0
        if not piece:
            return 0
        place += len(piece)
    return 0
