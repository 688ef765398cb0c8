"""One pass over a file of records: everything that is clean goes by in blocks, what is not is handed out line by line.

A block of whole lines is read as one JSON array with a number between its lines; only when that gives exactly one object a
line is every line of it a clean record. Otherwise each of its lines is looked at alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from memcli.model import Decoded, Line
from memcli.storage.collecting import Collector
from memcli.storage.decode import decode
from memcli.storage.facts import Columns
from memcli.storage.lines import MAX_LINE, is_blank
from memcli.storage.strictness import crowded, deep, repeated

CHUNK = 256 << 10
"""Bytes that are read and parsed at once: the values of more of them leave the processor's cache."""
ALONE = 8 << 10
"""Of a block that is not clean so many bytes are looked at line by line."""
STRAYS = 1000
"""So many headers below the leading ones are kept."""
_MARK = int.from_bytes(os.urandom(3)) | 1 << 24
"""What stands between the lines of a block: not to be guessed, or a file could be made to look clean."""
_BETWEEN = b",%d,\n" % _MARK


class Suspect(NamedTuple):
    """A line that is no clean record. `row` is 0 for a header; `before` is the line before it, b"" if none is known."""

    line: Line
    row: int
    decoded: Decoded
    before: bytes = b""


class Stray(NamedTuple):
    """A header that stands below the leading ones."""

    line: Line
    row: int
    value: Any


class Reader(NamedTuple):
    """What a format knows about values: whether a leading one is header, which of a batch are headers, and the columns of
    a batch (None: no facts are wanted). `ends_at_cr`: its agent takes a CR alone for the end of a line."""

    is_preamble: Callable[[Any], bool]
    headers: Callable[[Sequence[Any]], Sequence[int]]
    columns: Callable[[Sequence[Any]], Columns] | None = None
    ends_at_cr: bool = False


class Screening:
    """One pass; the counts are complete when `suspects` has come to its end. With `judged` about so many lines are handed out,
    and none any more when `enough` says so: lines without a record are only counted then.

    `lines`, `rows`, `blanks` count; `crlf` lines that end in CR LF, `returns` other CRs; `checks` lines that are the
    CRC-32 of the line before them; `oversize` lines that were passed over, `unjudged` lines without a record that were only
    counted: then the collector is dropped, since it does not have every row any more. `leading` are the leading header
    lines with their values, `strays` headers further down, `ended` whether a newline ends the file. `first` is the first line
    that is neither blank nor header. Memory: one block, and what the collector keeps.
    """

    def __init__(
        self,
        reader: Reader,
        collector: Collector | None = None,
        judged: int | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        self.reader, self.collector, self._most, self._enough = reader, collector, judged, enough
        self.lines = self.rows = self.blanks = self.crlf = self.returns = self.checks = self.oversize = 0
        self.unjudged = 0
        self.leading: list[tuple[Line, Decoded]] = []
        self.strays: list[Stray] = []
        self.first: tuple[Line, Decoded] | None = None
        self.ended = True
        self._before = b""
        self._at_top = True
        self._handed = 0

    def suspects(
        self, fd: int, start: int, end: int, *, lines: int = 0, rows: int = 0, top: bool = True
    ) -> Iterator[Suspect]:
        """Read the bytes from `start`, where a line must begin, to `end`, where one must end unless it is the file's end.

        `lines` and `rows` are how many lie before `start`; without `top` no header is expected there.
        """
        import gc

        self.lines, self.rows, self._at_top = lines, rows, top
        collecting = gc.isenabled()
        gc.disable()  # parsed values are never cyclic, and each block makes thousands of them
        try:
            for offset, block in _blocks(fd, start, end):
                place, length, ended = offset
                for suspect in (
                    self._oversize(place, length, ended) if block is None else self._block(place, bytes(block))
                ):
                    self._handed += 1
                    yield suspect
        finally:
            if collecting:
                gc.enable()

    def _block(self, offset: int, block: bytes) -> Iterator[Suspect]:
        """Look at whole lines: the leading ones alone, the others together, halving what is not clean."""
        while self._at_top and block:
            cut = block.find(b"\n") + 1 or len(block)
            yield from self._each(offset, block[:cut])
            offset, block = offset + cut, block[cut:]
        if not block or self._clean(offset, block):
            return
        middle = block.rfind(b"\n", 0, len(block) // 2) + 1 if len(block) > ALONE else 0
        if (self._most is not None and self._handed >= self._most) or self._enough():
            self._only_counted(block)
        elif middle:
            yield from self._block(offset, block[:middle])
            yield from self._block(offset + middle, block[middle:])
        else:
            yield from self._each(offset, block)

    def _clean(self, offset: int, block: bytes) -> bool:
        """Whether every line of a block is a clean record; then they are counted and collected."""
        if not block.endswith(b"\n"):
            return False
        from orjson import loads
        from stringzilla import count

        body = block[:-1]
        between = int(count(body, b"\n"))
        if not between and crowded(body):
            return False
        returns = int(count(body, b"\r"))
        crlf = int(count(body, b"\r\n")) + body.endswith(b"\r") if returns else 0
        if returns > crlf and self.reader.ends_at_cr:
            return False
        try:
            values = loads(b"".join((b"[", body.replace(b"\n", _BETWEEN), b"]")))
        except ValueError:
            return False
        records = values[::2]
        if len(values) != 2 * between + 1 or values[1::2].count(_MARK) != between or set(map(type, records)) != {dict}:
            return False
        if deep(body, between) or repeated(body, records):
            return False
        self.crlf += crlf
        self.returns += returns - crlf
        self._take(records, offset, body)
        self.lines += between + 1
        self.rows += between + 1
        self.ended = True
        self._before = body[body.rfind(b"\n") + 1 :]
        return True

    def _take(self, records: list[Any], offset: int, body: bytes) -> None:
        """Collect the records of a clean block."""
        strays = self.reader.headers(records)
        lines = body.split(b"\n") if self.collector or strays else []
        if self.collector and self.reader.columns:
            starts = [*accumulate(map(_one_more, map(len, lines)), initial=offset)]
            starts.pop()
            self.collector.batch(self.reader.columns(records), starts, lines)
        for index in strays:
            before = sum(map(len, lines[:index])) + index
            line = Line(self.lines + index + 1, offset + before, len(lines[index]), lines[index], True)
            self._stray(line, self.rows + index + 1, records[index])

    def _each(self, offset: int, block: bytes) -> Iterator[Suspect]:
        """Look at every line of a block alone."""
        *whole, last = block.split(b"\n")
        for raw in whole:
            yield from self._one(Line(self.lines + 1, offset, len(raw), raw, True))
            offset += len(raw) + 1
        if last:
            yield from self._one(Line(self.lines + 1, offset, len(last), last, False))

    def _one(self, line: Line) -> Iterator[Suspect]:
        raw = line.raw or b""
        self.lines += 1
        self.ended = line.ended
        before, self._before = self._before, raw
        if raw.endswith(b"\r") and line.ended:
            self.crlf += 1
        self.returns += raw.count(b"\r") - (raw.endswith(b"\r") and line.ended)
        if is_blank(raw):
            self.blanks += 1
            return
        decoded = _examined(raw)
        if self.reader.ends_at_cr and b"\r" in raw and is_cut_by_cr(raw, decoded):
            decoded = Decoded(decoded.values, "cr-in-record")
        values = decoded.values
        if self._at_top and len(values) == 1 and self.reader.is_preamble(values[0]):
            self.leading.append((line, decoded))
            if decoded.flaw or not line.ended:
                yield Suspect(line, 0, decoded, before)
            return
        self.first = self.first or (line, decoded)
        self._at_top = False
        self.rows += 1
        records = [value for value in values if isinstance(value, dict)]
        if self.collector and self.reader.columns:
            if records and len(records) == len(values):
                self.collector.several(self.reader.columns(records), line.offset, raw)
            else:
                self.collector.unread(line.offset)
        if len(values) == 1 and records and not decoded.flaw:
            if self.reader.headers(records):
                self._stray(line, self.rows, values[0])
            if line.ended:
                return
        elif is_check(raw, before):
            self.checks += 1
            return
        yield Suspect(line, self.rows, decoded, before)

    def _only_counted(self, block: bytes) -> None:
        """Count the lines of a block that is not clean, and those without a record."""
        from orjson import loads

        self.collector = None
        *whole, last = block.split(b"\n")
        for raw in [*whole, last] if last else whole:
            if is_blank(raw):
                self.blanks += 1
                continue
            self.rows += 1
            text = raw.strip(b" \t\r")
            if (
                text[:1] == b"{" and text[-1:] == b"}"
            ):  # else there is no need to ask: to refuse takes longer than to read
                try:
                    if not crowded(raw) and type(loads(text)) is dict:
                        continue
                except ValueError:
                    pass
            self.unjudged += 1
        self.lines += len(whole) + bool(last)
        self.ended, self._before = not last, b""

    def _oversize(self, offset: int, length: int, ended: bool) -> Iterator[Suspect]:
        self.lines += 1
        self.rows += 1
        self.oversize += 1
        self.ended, self._at_top, self._before = ended, False, b""
        line = Line(self.lines, offset, length, None, ended)
        self.first = self.first or (line, OVERSIZE)
        if self.collector:
            self.collector.unread(offset)
        yield Suspect(line, self.rows, OVERSIZE)

    def _stray(self, line: Line, row: int, value: Any) -> None:
        if len(self.strays) < STRAYS:
            self.strays.append(Stray(line, row, value))


def is_check(raw: bytes, before: bytes) -> bool:
    """Whether a line is the CRC-32, decimal or hex, of the line before it."""
    from zlib import crc32

    word = raw.strip(b' \t\r"')
    if not before or len(word) > 10 or not word.isalnum():
        return False
    return any(word == form % crc32(text) for form in (b"%d", b"%08x", b"%08X") for text in (before, before + b"\n"))


def is_cut_by_cr(raw: bytes, decoded: Decoded) -> bool:
    """Whether a line that is one record for a strict reader is none for one who ends lines at a CR."""
    whole = len(decoded.values) == 1 and isinstance(decoded.values[0], dict) and decoded.flaw in _WHOLE
    return whole and b"\r" in raw.strip(b" \t\r")


_WHOLE = ("", "nan", "lone-surrogate", "duplicate-keys", "too-deep")
OVERSIZE = Decoded((), "oversize-line")
_one_more = (1).__add__


def _examined(raw: bytes) -> Decoded:
    """The line as decoded, with the flaws that only a strict look shows."""
    if crowded(raw):
        return Decoded((), "oversize-line")
    decoded = decode(raw)
    if decoded.flaw or len(decoded.values) != 1 or not isinstance(decoded.values[0], dict):
        return decoded
    if deep(raw, 0):
        return Decoded(decoded.values, "too-deep")
    if repeated(raw, decoded.values):
        return Decoded(decoded.values, "duplicate-keys")
    return decoded


Place = tuple[int, int, bool]
"""(offset, length, whether a newline ends it)."""


def _blocks(fd: int, start: int, end: int) -> Iterator[tuple[Place, memoryview | None]]:
    """Blocks of whole lines; a line over MAX_LINE as its place without its bytes. The block is valid until the next."""
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    position = start
    while position < end:
        got = os.preadv(fd, (view[: min(CHUNK, end - position)],), position)
        if not got:
            return
        cut = buffer.rfind(b"\n", 0, got) + 1
        if cut:
            yield (position, cut, True), view[:cut]
            position += cut
        elif position + got >= end:
            yield (position, got, False), view[:got]
            return
        else:
            place, line = _long_line(fd, position, end)
            yield place, line
            position += place[1] + place[2]


def _long_line(fd: int, start: int, end: int) -> tuple[Place, memoryview | None]:
    """The one line that begins at `start` and is longer than a block, its newline included; None when over MAX_LINE."""
    pieces: list[bytes] = []
    position = start
    length, ended = 0, False
    while position < end and not ended:
        piece = os.pread(fd, min(CHUNK, end - position), position)
        if not piece:
            break
        position += len(piece)
        cut = piece.find(b"\n")
        ended = cut >= 0
        length += cut if ended else len(piece)
        if length <= MAX_LINE:
            pieces.append(piece[: cut + 1] if ended else piece)
        else:
            pieces = []
    return (start, length, ended), None if length > MAX_LINE else memoryview(b"".join(pieces))
