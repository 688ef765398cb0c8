"""The entries of a journal, one after the other, and the lines that give none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memcli import times
from memcli.core import positions, rows
from memcli.core.journals import Journal
from memcli.damage.framework import CursorState
from memcli.formats import load, rules
from memcli.formats.protocols import Rules
from memcli.model import Record
from memcli.storage.lines import is_blank
from memcli.storage.reading import open_regular


class Entry(NamedTuple):
    """One entry: `number` is the one it has, or which record of the journal it is; None when a reader finds none. `waits`:
    Dream has not read it. `session` is the key that it names."""

    journal: Journal
    line: int
    number: int | None
    record: Record
    waits: bool
    session: str = ""
    flaw: str = ""


class Damaged(NamedTuple):
    """A line that a reader passes over, and why, in a clause."""

    journal: Journal
    line: int
    why: str


class Wish(NamedTuple):
    """Which entries: with a number beyond `since`, only those that wait for Dream, the last `last` of these."""

    since: int | None = None
    pending: bool = False
    last: int | None = None


def read(found: Sequence[Journal], wish: Wish) -> Iterator[Entry | Damaged]:
    """The entries that are wished for, journal by journal, in their order in the file, damage where it is met.

    A missing journal gives nothing. Raises CannotRead.
    """
    for journal in found:
        if not journal.there:
            continue
        if wish.last is None:
            yield from (one for one in _lines(journal) if isinstance(one, Damaged) or _wanted(one, wish))
        else:
            yield from _last(journal, wish, wish.last)


def as_json(entry: Entry, tz: str = "") -> dict[str, Any]:
    """The documented JSON object of an entry."""
    record = entry.record
    value: dict[str, Any] = {
        "type": "entry",
        "agent": entry.journal.workspace.agent,
        "journal": entry.journal.label or None,
        "path": entry.journal.shown,
        "line": entry.line,
        "number": entry.number,
        "timestamp": record.timestamp,
        "timestamp_utc": times.utc(record.timestamp, tz),
        "role": record.role,
        "session": entry.session or None,
        "pending": entry.waits,
        "text": record.text,
    }
    return {**value, "flaw": entry.flaw} if entry.flaw else value


def _last(journal: Journal, wish: Wish, most: int) -> Iterator[Entry | Damaged]:
    from collections import deque

    kept: deque[Entry] = deque(maxlen=most)
    for one in _lines(journal):
        if isinstance(one, Damaged):
            yield one
        elif _wanted(one, wish):
            kept.append(one)
    yield from kept


def _wanted(entry: Entry, wish: Wish) -> bool:
    if wish.pending and not entry.waits:
        return False
    return wish.since is None or (entry.number is not None and entry.number > wish.since)


def _lines(journal: Journal) -> Iterator[Entry | Damaged]:
    agent = journal.workspace.agent
    form, rule = load(agent), rules(agent)
    where, _ = positions.position(journal)
    counts = rule.CURSORS == "records"
    start = _start(journal, where) if counts else where.used or 0
    record = 0
    fd = open_regular(journal.file.path)
    try:
        for row in rows.read(fd, form):
            if row.line.raw is not None and is_blank(row.line.raw):
                continue
            flaw, values = row.decoded.flaw, row.decoded.values
            fault = flaw if flaw or not values else rule.JOURNAL.fault(values[0])
            if fault or not values:
                why = f"the line {fault}" if fault and not flaw else flaw or "it cannot be read"
                yield Damaged(journal, row.line.number, why)
            record += len(values) == 1
            for value in values:
                number = _number(rule, value) if not counts else record if len(values) == 1 else None
                waits = number is not None and not where.dialect and number > start
                said = form.records.record(value)
                session = said.name or "" if said.role == "journal" else ""
                yield Entry(journal, row.line.number, number, said, waits, session, flaw)
    finally:
        os.close(fd)


def _number(rule: Rules, value: Any) -> int | None:
    """The number of an entry as the agent's reader takes it."""
    if not isinstance(value, dict):
        return None
    columns = rule.journal_columns([value])
    number = columns.ids[0]
    return number if type(number) is int and not columns.odd else None


def _start(journal: Journal, where: CursorState) -> int:
    """Behind which record Dream goes on; a negative position counts from the end."""
    used = where.used or 0
    return used if used >= 0 else max(0, positions.state(journal).entries + used)
