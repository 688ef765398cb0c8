"""A session file as numbered rows: which lines are header, which are blank, which are messages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from memcli.formats.facets import Format
from memcli.model import Decoded, Line, Record, SessionRef
from memcli.storage.decode import decode
from memcli.storage.lines import count, forward, is_blank

OVERSIZE = Decoded((), "oversize-line")


class Row(NamedTuple):
    """One line with its meaning: `number` is the row from 1, 0 for blank lines and the leading header."""

    line: Line
    number: int
    decoded: Decoded


def decoded(line: Line) -> Decoded:
    """The line's values; a line over the size limit has none."""
    return OVERSIZE if line.raw is None else decode(line.raw)


def read(fd: int, form: Format, end: int | None = None) -> Iterator[Row]:
    """Every line of the file, up to byte `end` if given, with its row number."""
    number = 0
    leading = True
    for line in forward(fd, end=end):
        if line.raw is not None and is_blank(line.raw):
            yield Row(line, 0, Decoded(()))
            continue
        values = decoded(line)
        if leading and is_preamble(form, values):
            yield Row(line, 0, values)
            continue
        leading = False
        number += 1
        yield Row(line, number, values)


def is_preamble(form: Format, values: Decoded) -> bool:
    """Whether a leading line belongs to the header."""
    return len(values.values) == 1 and form.records.is_preamble(values.values[0])


class Preamble(NamedTuple):
    """The leading header: how many lines it has (blank ones among them), how many of those are header rows."""

    lines: int
    headers: int
    size: int


def preamble(fd: int, form: Format) -> Preamble:
    """How much of the file's beginning is header."""
    lines = headers = size = 0
    for line in forward(fd):
        if not (line.raw is not None and is_blank(line.raw)):
            if not is_preamble(form, decoded(line)):
                break
            headers += 1
            lines, size = line.number, line.offset + line.length + line.ended
    return Preamble(lines, headers, size)


class Counter:
    """Line and row numbers of ascending byte positions, counted at memory speed without parsing what lies before."""

    def __init__(self, fd: int, form: Format) -> None:
        self.fd = fd
        self.headers = preamble(fd, form).headers
        self.offset = self.newlines = self.blanks = 0

    def place(self, offset: int) -> tuple[int, int]:
        """The line number and the row number of the line that starts at byte `offset`."""
        counted = count(self.fd, offset, self.offset)
        self.offset = offset
        self.newlines += counted.newlines
        self.blanks += counted.blanks
        return self.newlines + 1, self.newlines + 1 - self.blanks - self.headers


def place(fd: int, form: Format, offset: int) -> tuple[int, int]:
    """The line number and the row number of the line that starts at byte `offset`."""
    return Counter(fd, form).place(offset)


def records(form: Format, values: Decoded) -> list[Record]:
    """The messages on one line: one for a clean line, two for glued lines, none for an unreadable one."""
    return [form.records.record(value) for value in values.values]


def as_json(ref: SessionRef, line: int, row: int, record: Record, flaw: str, tz: str) -> dict[str, Any]:
    """The documented JSON object of one record."""
    value = {"type": "record", "key": ref.key, "path": ref.shown, **record_json(line, row, record, flaw, tz)}
    if ref.archived:
        value["archived"] = True
    return value


def record_json(line: int, row: int, record: Record, flaw: str, tz: str) -> dict[str, Any]:
    """The same without the session, for where that is told once."""
    from memcli import times

    value: dict[str, Any] = {
        "type": "record",
        "line": line,
        "row": row,
        "id": record.id,
        "role": record.role,
        "timestamp": record.timestamp,
        "timestamp_utc": times.utc(record.timestamp, tz),
        "text": record.text,
    }
    if record.name is not None:
        value["name"] = record.name
    if record.reasoning:
        value["reasoning"] = record.reasoning
    if record.calls:
        value["calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in record.calls]
    if record.answers is not None:
        value["answers"] = record.answers
    if flaw:
        value["flaw"] = flaw
    return value


def size_of(path: str) -> int | None:
    """The size in bytes of what stands at `path`, None when it cannot be told."""
    try:
        return os.stat(path).st_size
    except OSError:
        return None
