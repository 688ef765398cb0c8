"""One of two copies of a chat, as numbers for each row: hashes, not texts, so that a gigabyte can be compared."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from memcli.core.clocks import seconds_of
from memcli.formats import load, rules
from memcli.model import Decoded, Line, Record, SessionRef
from memcli.storage.collecting import Collector
from memcli.storage.decode import decode
from memcli.storage.facts import SHARED, UNREAD, Columns
from memcli.storage.lines import CHUNK, PIECE, count, line_at
from memcli.storage.reading import open_regular
from memcli.storage.screen import Reader, Screening
from memcli.storage.versions import identity


class Unread(NamedTuple):
    """A line that gives no record: where it is, and the damage code that says why."""

    line: int
    row: int
    offset: int
    length: int
    flaw: str


class Place(NamedTuple):
    """Where a row is: numbers from 1, bytes without the newline."""

    row: int
    line: int
    offset: int
    length: int


class Side:
    """The rows of one file, read once.

    `facts` has an entry for every record, unreadable rows too; `prints` a 64-bit hash of the line of each (keyed anew in
    each process). `leading` are the lines of the header with what they give, `header` what of it counts for the agent,
    {} without one. `unread` are the lines that give no record, `flaws` the damage code of each entry whose line is not
    clean. The file stays open until `close`: rows are read again when they are shown. Raises CannotRead.
    """

    def __init__(self, ref: SessionRef, tz: str = "") -> None:
        self.ref = ref
        self.form, self.rules = load(ref.agent), rules(ref.agent)
        self.fd = open_regular(ref.path)
        try:
            self._read(tz)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.facts)

    def close(self) -> None:
        """Let go of the file."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def stands(self) -> bool:
        """Whether the file is still what it was when it was read."""
        try:
            return identity(os.stat(self.ref.path)) == identity(self.status)
        except OSError:
            return False

    def raw(self, entry: int) -> bytes:
        """The line of an entry with its newline; not more than lines.MAX_LINE of it."""
        return line_at(self.fd, self.facts.offsets[entry])

    def end(self, entry: int) -> int:
        """The byte behind the line of an entry and its newline, however long it is."""
        offset = self.facts.offsets[entry]
        size = PIECE
        while piece := os.pread(self.fd, size, offset):
            found = piece.find(b"\n") + 1
            offset += found or len(piece)
            if found:
                break
            size = CHUNK
        return offset

    def number(self, entry: int) -> int:
        """Which of the records on its line an entry is, from 0."""
        first = entry
        while self.facts.flags[first] & SHARED:
            first -= 1
        return entry - first

    def is_alone(self, entry: int) -> bool:
        """Whether an entry has a line of its own."""
        flags = self.facts.flags
        return not (flags[entry] | (flags[entry + 1] if entry + 1 < len(flags) else 0)) & SHARED

    def is_check(self, entry: int) -> bool:
        """Whether an entry is no record but the checksum of the line before it."""
        return bool(self.facts.flags[entry] & UNREAD) and self.facts.row(entry) not in self._unread

    def text(self, entry: int) -> bytes:
        """The bytes of an entry's record, without newline. Raises ValueError where records cannot be told apart."""
        raw = self.raw(entry).removesuffix(b"\n")
        if self.is_alone(entry):
            return raw
        records = glued(raw)
        if self.number(entry) >= len(records):
            raise ValueError(f"{self.ref.path} is not what it was")
        return records[self.number(entry)]

    def value(self, entry: int) -> Any:
        """The record of an entry as decoded; None when its line gives none, or is another one by now."""
        values = decode(self.raw(entry).removesuffix(b"\n")).values
        number = self.number(entry)
        return values[number] if number < len(values) else None

    def record(self, entry: int) -> Record:
        """The message that an entry is; an empty one where its line gives none."""
        return Record() if self.facts.flags[entry] & UNREAD else self.form.records.record(self.value(entry))

    def place(self, entry: int) -> Place:
        """Where an entry is. Quick for entries asked for in order."""
        offset = self.facts.offsets[entry]
        row = self.facts.row(entry)
        length = self.end(entry) - offset
        length -= line_ended(self.fd, offset + length)
        return Place(row, self._line(row, offset), offset, length)

    @property
    def answers(self) -> frozenset[int]:
        """The entries that answer a call."""
        if self._answers is None:
            facts = self.facts
            pairs = zip(facts.call_entries, facts.call_ids, strict=True)
            self._answers = frozenset(entry for entry, call in pairs if call & 1)
        return self._answers

    _answers: frozenset[int] | None = None

    def _read(self, tz: str) -> None:
        self.size = os.fstat(self.fd).st_size
        self.status = os.fstat(self.fd)
        collector = _Prints(seconds_of(tz))
        self.facts, self.prints = collector.facts, collector.prints
        reader = Reader(self.form.records.is_preamble, self.rules.headers, self.rules.columns)
        screening = self.screening = Screening(reader, collector)
        self.unread: list[Unread] = []
        self.flaws: dict[int, str] = {}
        for suspect in screening.suspects(self.fd, 0, self.size):
            line, row, decoded = suspect.line, suspect.row, suspect.decoded
            if not row:
                continue
            if self.facts.flags[-1] & UNREAD:
                flaw = decoded.flaw or "not-a-record"
                self.unread.append(Unread(line.number, row, line.offset, line.length, flaw))
            elif decoded.flaw:
                first = len(self.facts) - 1 - self.number(len(self.facts) - 1)
                self.flaws.update(dict.fromkeys(range(first, len(self.facts)), decoded.flaw))
        self._unread = {one.row for one in self.unread}
        self.ended, self.checks = screening.ended, screening.checks
        self.leading: Sequence[tuple[Line, Decoded]] = screening.leading
        self.header_line, self.header = self._header()
        for entry, flag in enumerate(self.facts.flags):
            if flag & UNREAD:
                self.prints[entry] = self._hashed(entry)
        self._known = (0, 1)

    def _header(self) -> tuple[Line | None, dict[str, Any]]:
        found: list[tuple[Line, dict[str, Any]]] = [
            (line, value)
            for line, decoded in self.leading
            for value in decoded.values
            if isinstance(value, dict) and self.form.records.header(value) is not None
        ]
        if not found:
            return None, {}
        needs = self.rules.header_rules(self.ref.workspace.era)
        return found[-1 if needs and needs.last_wins else 0]

    def _hashed(self, entry: int) -> int:
        """The hash of a line that gives no record, which may be of any length."""
        from hashlib import blake2b

        digest = blake2b(digest_size=8)
        for piece in read(self.fd, self.facts.offsets[entry], self.end(entry)):
            digest.update(piece.removesuffix(b"\n"))
        return int.from_bytes(digest.digest(), signed=True)

    def _line(self, row: int, offset: int) -> int:
        if not self.screening.blanks:
            return row + len(self.leading)
        known, number = self._known if self._known[0] <= offset else (0, 1)
        number += count(self.fd, offset, known).newlines
        self._known = (offset, number)
        return number


def read(fd: int, start: int, end: int) -> Iterator[bytes]:
    """The bytes of a file from `start` to `end`, piece by piece."""
    while start < end:
        piece = os.pread(fd, min(CHUNK, end - start), start)
        if not piece:
            return
        yield piece
        start += len(piece)


def glued(raw: bytes) -> list[bytes]:
    """The bytes of each record on a line that holds nothing but whole records. Raises ValueError for another."""
    import re
    from json import JSONDecoder

    decoder, blanks = JSONDecoder(strict=False), re.compile("[ \t\r]*")
    text = raw.decode("latin-1")  # one character a byte
    found = []
    place = len(text) - len(text.lstrip(" \t\r"))
    while place < len(text):
        _, end = decoder.raw_decode(text, place)
        found.append(raw[place:end])
        rest = blanks.match(text, end)
        place = rest.end() if rest else end
    return found


def line_ended(fd: int, end: int) -> bool:
    """Whether a newline stands before the byte `end`."""
    return end > 0 and os.pread(fd, 1, end - 1) == b"\n"


class _Prints(Collector):
    """Collects the hash of each line beside the facts; those of lines that give no record are filled in later."""

    def __init__(self, seconds: Any) -> None:
        super().__init__(seconds)
        self.prints = array("q")

    def batch(self, columns: Columns, offsets: Sequence[int], lines: Sequence[bytes]) -> None:
        super().batch(columns, offsets, lines)
        self.prints.extend(map(hash, lines))

    def several(self, columns: Columns, offset: int, line: bytes) -> None:
        super().several(columns, offset, line)
        for number in range(1, len(columns.ids)):
            self.prints[-number] = hash((self.prints[-number], len(columns.ids) - number))

    def unread(self, offset: int) -> None:
        super().unread(offset)
        self.prints.append(0)
