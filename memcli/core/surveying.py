"""One whole session read once: how many rows of each role, what does not parse, what the agent itself would load."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memcli import times
from memcli.core.rows import Row, read, records
from memcli.damage import ends
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import AgentView, Decoded, Line, SessionRef
from memcli.storage.reading import open_regular

SILENCE = 24 * 3600.0
"""A pause from which on it is named as a gap, in seconds."""
TEXTS = "texts of records 1"
"""Which text was counted; to be changed when `Record.text` is put together differently."""


class Unreadable(NamedTuple):
    """A row that gives no record: where it is and which damage it shows."""

    line: int
    row: int
    offset: int
    length: int
    flaw: str


class Gap(NamedTuple):
    """Something missing between two rows: `what` is "ids" (so many numbers missing) or "silence" (so many seconds)."""

    what: str
    row: int
    amount: float


class Survey(NamedTuple):
    """What one pass over a session file showed. Times are the stored texts."""

    size: int
    lines: int
    rows: int
    blanks: int
    readable: int
    roles: dict[str, int]
    calls: dict[str, int]
    first: str | None
    last: str | None
    tokens: int
    unreadable: tuple[Unreadable, ...]
    gaps: tuple[Gap, ...]
    damage: tuple[str, ...]
    view: AgentView
    header_texts: tuple[str, ...]


def survey(ref: SessionRef, *, tz: str = "", progress: Callable[[int], None] | None = None) -> Survey:
    """Read the whole session. `progress` is told the byte position now and then.

    Tokens are those of the text of every readable record, o200k_base, kept under the SHA-256 of the file's bytes.
    Raises CannotRead when the file cannot be opened.
    """
    form = load(ref.agent)
    fd = open_regular(ref.path)
    try:
        tally = _Tally(form, tz)
        feed = tally.rows(fd, progress)
        view = form.loader.view(feed, _name(ref, form), ref.workspace.era)
        for _ in feed:  # an agent that stops at the first bad line has not seen the rest; the tally must
            pass
        return tally.result(fd, view, _tokens(fd, form))
    finally:
        os.close(fd)


def _name(ref: SessionRef, form: Format) -> str:
    """The file name that the agent would meet: a copy elsewhere, a stream or a .gz says nothing about it."""
    name = os.path.basename(ref.path)
    in_place = ref.shown == ref.path and os.path.dirname(ref.path) in ref.workspace.sessions
    return name if in_place else form.layout.name_of(ref.key, ref.workspace.era) or name


def _tokens(fd: int, form: Format) -> int:
    from memcli import tokens

    key = tokens.digest(fd, os.fstat(fd).st_size, TEXTS, form.name)
    return tokens.cached_count(key, lambda: tokens.count(_texts(fd, form)))


def _texts(fd: int, form: Format) -> Iterator[str]:
    for row in read(fd, form):
        if row.number:
            for record in records(form, row.decoded):
                yield record.text


class _Tally:
    """Counts while the loader reads: one pass serves both."""

    def __init__(self, form: Format, tz: str) -> None:
        self.form, self.tz = form, tz
        self.lines = self.total = self.blanks = self.readable = 0
        self.roles: dict[str, int] = {}
        self.calls: dict[str, int] = {}
        self.first: str | None = None
        self.last: str | None = None
        self.unreadable: list[Unreadable] = []
        self.gaps: list[Gap] = []
        self.headers: list[str] = []
        self.flaws: dict[str, None] = {}
        self.last_id: int | None = None
        self.last_time: float | None = None

    def rows(self, fd: int, progress: Callable[[int], None] | None) -> Iterator[tuple[Line, Decoded]]:
        for row in read(fd, self.form):
            self.lines = row.line.number
            if progress and not row.line.number % 2048:
                progress(row.line.offset)
            self.note(row)
            yield row.line, row.decoded

    def note(self, row: Row) -> None:
        if not row.number:
            if row.decoded.values:
                self.headers.append((row.line.raw or b"").decode("utf-8", "replace"))
            else:
                self.blanks += 1
            return
        self.total += 1
        line = row.line
        codes = ends.line_codes(row.decoded) if line.ended else ends.end_codes(row.decoded)
        self.flaws.update(dict.fromkeys(codes))
        found = records(self.form, row.decoded)
        if not found:
            self.unreadable.append(Unreadable(line.number, row.number, line.offset, line.length, codes[0]))
        for record in found:
            self.readable += 1
            role = record.role
            self.roles[role] = self.roles.get(role, 0) + 1
            for call in record.calls:
                self.calls[call.name] = self.calls.get(call.name, 0) + 1
            self.times(row.number, record.timestamp)
            self.ids(row.number, record.id)

    def times(self, number: int, stamp: str | None) -> None:
        if stamp is None:
            return
        self.first = self.first or stamp
        self.last = stamp
        moment = times.parse(stamp, self.tz)
        if moment is None:
            return
        if self.last_time is not None and moment - self.last_time >= SILENCE:
            self.gaps.append(Gap("silence", number, round(moment - self.last_time, 3)))
        self.last_time = moment

    def ids(self, number: int, identity: str | int | None) -> None:
        if not isinstance(identity, int) or isinstance(identity, bool):
            return
        if self.last_id is not None and identity > self.last_id + 1:
            self.gaps.append(Gap("ids", number, identity - self.last_id - 1))
        self.last_id = identity

    def result(self, fd: int, view: AgentView, tokens: int) -> Survey:
        size = os.fstat(fd).st_size
        head = os.pread(fd, ends.WINDOW, 0)
        tail = head if size <= ends.WINDOW else os.pread(fd, ends.WINDOW, size - ends.WINDOW)
        damage = [] if size and ends.is_clean(head, tail, size) else ends.codes(head, tail, size)
        return Survey(
            size,
            self.lines,
            self.total,
            self.blanks,
            self.readable,
            dict(sorted(self.roles.items(), key=lambda item: -item[1])),
            dict(sorted(self.calls.items(), key=lambda item: -item[1])),
            self.first,
            self.last,
            tokens,
            tuple(self.unreadable),
            tuple(self.gaps),
            tuple(dict.fromkeys([*damage, *self.flaws])),
            view,
            tuple(self.headers),
        )
