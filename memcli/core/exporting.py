"""One session read to be written elsewhere: its facts, then its rows one by one, so that a giant one needs no memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memcli import times
from memcli.core import rows
from memcli.core.redacting import Redactor
from memcli.damage import ends
from memcli.formats import load
from memcli.formats.reading import value_text
from memcli.model import NOTHING, Header, Record, SessionRef
from memcli.storage.reading import open_regular, unreadable

PREVIEW = 120
LONGEST_HEADER = 64 << 10
"""A header line longer than this holds what only its agent can read; its size is told."""


class Facts(NamedTuple):
    """What is known of a session before its rows are told, masked where masking was asked for.

    `updated` is the time to sort by in epoch seconds, `lost` how many lines gave no record and `lost_bytes` their bytes,
    `header` the header lines as text. `why` tells in a clause why the file could not be read at all; then all counts are 0.
    """

    agent: str
    era: str
    key: str
    title: str
    preview: str
    path: str
    size: int
    created_at: str | None = None
    updated_at: str | None = None
    first: str | None = None
    last: str | None = None
    messages: int = 0
    roles: Mapping[str, int] = NOTHING
    lost: int = 0
    lost_bytes: int = 0
    damage: tuple[str, ...] = ()
    updated: float = 0.0
    header: tuple[str, ...] = ()
    why: str = ""


class Entry(NamedTuple):
    """One row: its place, and the records that it gives; none when it cannot be read, for the damage that `flaw` names."""

    row: int
    line: int
    offset: int
    length: int
    flaw: str
    records: tuple[Record, ...]


class Session:
    """An open session; a context manager. What is written to the file from now on is not looked at.

    Raises CannotRead when it cannot be opened or read.
    """

    def __init__(
        self,
        ref: SessionRef,
        redactor: Redactor | None = None,
        *,
        tz: str = "",
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.ref, self.redactor, self.tz, self.progress = ref, redactor, tz, progress
        self.form = load(ref.agent)
        self.fd = open_regular(ref.path)
        self.status = os.fstat(self.fd)
        self.told = 0

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def facts(self) -> Facts:
        """Read it once for what stands at the head of a page."""
        tally = _Tally(self.form.askers)
        headers: list[str] = []
        header = Header()
        for row in self._rows():
            if row.number:
                records = rows.records(self.form, row.decoded)
                tally.note(row, records)
                if self.redactor:
                    for record in records:
                        self.redactor.learn(record.text)
            elif row.decoded.values:
                found = self.form.records.header(row.decoded.values[0])
                header = found if found and header == Header() else header
                headers.append(_header_text(row))
        mask, cut = self._mask, self._mask_cut
        title, preview = header.title or "", header.preview or ""
        if self.redactor or not preview:  # an agent's preview may be cut in the middle of a key
            preview = mask(tally.asked)[:PREVIEW] if tally.asked else cut(preview)
        stamps = (header.created_at, header.updated_at, tally.first, tally.last)
        created, updated, first, last = (None if stamp is None else mask(stamp) for stamp in stamps)
        moment = times.parse(header.updated_at or tally.last, self.tz)
        return Facts(
            self.ref.agent,
            self.ref.workspace.era,
            mask(self.ref.key),
            cut(title),
            preview,
            path_told(self.ref, self.redactor),
            self.status.st_size,
            created,
            updated,
            first,
            last,
            tally.messages,
            {mask(role): count for role, count in sorted(tally.roles.items(), key=lambda item: -item[1])},
            tally.lost,
            tally.lost_bytes,
            tuple(dict.fromkeys([*self._ends(), *tally.codes])),
            self.status.st_mtime if moment is None else moment,
            tuple(map(cut, headers)),
        )

    def entries(self) -> Iterator[Entry]:
        """Read it once more, row by row."""
        for row in self._rows():
            if row.number:
                records = rows.records(self.form, row.decoded)
                if self.redactor:
                    records = [self.redactor.record(record) for record in records]
                line, flaw = row.line, row.decoded.flaw
                yield Entry(row.number, line.number, line.offset, line.length, flaw, tuple(records))

    def _rows(self) -> Iterator[rows.Row]:
        """Every line; tells `progress` how many bytes of both readings were read."""
        try:
            for row in rows.read(self.fd, self.form, self.status.st_size):
                if self.progress and not row.line.number % 1024:
                    self.progress(self.told + row.line.offset)
                yield row
        except OSError as error:
            raise unreadable(self.ref.shown, error) from error
        self.told += self.status.st_size

    def _mask(self, text: str) -> str:
        return self.redactor.text(text) if self.redactor else text

    def _mask_cut(self, text: str) -> str:
        return self.redactor.text(text, cut=True) if self.redactor else text

    def _ends(self) -> list[str]:
        size = self.status.st_size
        head = os.pread(self.fd, ends.WINDOW, 0)
        tail = head if size <= ends.WINDOW else os.pread(self.fd, ends.WINDOW, size - ends.WINDOW)
        return [] if size and ends.is_clean(head, tail, size) else ends.codes(head, tail, size)


def unread(ref: SessionRef, why: str, redactor: Redactor | None = None) -> Facts:
    """What can be said of a session whose file cannot be read."""
    mask = redactor.text if redactor else str
    size = rows.size_of(ref.path) or 0
    facts = Facts(ref.agent, ref.workspace.era, mask(ref.key), "", "", path_told(ref, redactor), size)
    return facts._replace(damage=("unreadable",), why=why)


def path_told(ref: SessionRef, redactor: Redactor | None) -> str:
    """The path as it is told; without the file's name where masking the key would be of no use: some agents encode it."""
    if not redactor:
        return ref.shown
    folder, name = os.path.split(ref.shown)
    if redactor.text(ref.key) == ref.key:
        return redactor.text(ref.shown)
    return os.path.join(redactor.text(folder), "[name]" + os.path.splitext(name)[1])


class _Tally:
    """Counts of one reading."""

    def __init__(self, askers: tuple[str, ...]) -> None:
        self.askers = askers
        self.messages = self.lost = self.lost_bytes = 0
        self.roles: dict[str, int] = {}
        self.codes: dict[str, None] = {}
        self.first: str | None = None
        self.last: str | None = None
        self.asked = ""

    def note(self, row: rows.Row, records: list[Record]) -> None:
        line = row.line
        codes = ends.line_codes(row.decoded) if line.ended else ends.end_codes(row.decoded)
        self.codes.update(dict.fromkeys(codes))
        if not records:
            self.lost += 1
            self.lost_bytes += line.length
        for record in records:
            self.messages += 1
            self.roles[record.role] = self.roles.get(record.role, 0) + 1
            self.first = self.first or record.timestamp
            self.last = record.timestamp or self.last
            if record.role in self.askers and record.content:
                self.asked = record.content


def _header_text(row: rows.Row) -> str:
    if row.line.length > LONGEST_HEADER:
        return f"({row.line.length:,} bytes, for the agent only)"
    return "\n".join(map(value_text, row.decoded.values))
