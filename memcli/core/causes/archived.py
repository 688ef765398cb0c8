"""What stands in the journal for rows that a chat does not have, or does not send, any more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memcli import times
from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.core.rows import read, records
from memcli.core.sources.entries import entries
from memcli.core.sources.framework import Question, Trace
from memcli.core.sources.searched import MOST
from memcli.formats import habits, load
from memcli.formats.facets import TakenOut
from memcli.model import Verdict
from memcli.storage.reading import open_regular

NO_COPY = "No copy of the rows from before was found."
MINUTE = 60.0
"""Seconds: entries of the journal are stamped to the minute."""


class Begin(NamedTuple):
    """How a chat's file begins: its header as decoded ({}: none), when it says that the chat was created, and the time of the
    first row, None where nothing tells."""

    header: Mapping[str, Any]
    created: float | None
    first: float | None

    @property
    def is_cut(self) -> bool:
        """Whether the first row is so much younger than the chat that rows before it are gone."""
        return self.created is not None and self.first is not None and self.first - self.created > MINUTE


def begin(case: Case, chat: Chat) -> Begin:
    """How the chat's file begins. The chat has a file that can be read."""
    assert chat.ref is not None
    form = load(chat.ref.agent)
    header: Mapping[str, Any] = {}
    created = None
    fd = open_regular(chat.ref.path)
    try:
        for row in read(fd, form):
            for value in row.decoded.values if not row.number else ():
                told = form.records.header(value)
                if told is not None:
                    header, created = value, times.parse(told.created_at, case.scope.tz)
            for record in records(form, row.decoded) if row.number else ():
                moment = times.parse(record.timestamp, case.scope.tz)
                if moment is not None:
                    return Begin(header, created, moment)
    finally:
        os.close(fd)
    return Begin(header, created, None)


def about(case: Case, chat: Chat) -> list[Trace]:
    """The journal's entries that say that they are about the chat, the first MOST of them; where words were asked for, those
    that have them."""
    if case.question.text:
        return [trace for trace in chat.rows("journal") if trace.record is not None]
    return _named(case, chat)


def told(case: Case, chat: Chat) -> str:
    """The entries that are about the chat in a sentence."""
    found = _named(case, chat)
    if not found:
        return "No entry of the journal says that it is about this chat."
    cursors = [f"{cursor(trace)} of {trace.when}" for trace in (found[0], found[-1])]
    if len(found) == 1:
        return f"Entry {cursors[0]} of the journal is about this chat."
    count = f"{len(found)} entries" if len(found) < MOST else f"At least {MOST} entries"
    return f"{count} of the journal are about this chat, {cursors[0]} to {cursors[1]}."


def verdict(case: Case, chat: Chat, cause: str, why: str) -> Iterator[Verdict]:
    """That rows are gone from the chat: they come back from a copy where there is one with more rows; else the entry of the
    journal is shown, and for a session that was asked for, what is left of it."""
    found = restoring.best(case, chat)
    entries = about(case, chat)
    if found is not None:
        told_so = (why, f"{found.source.shown} has {found.rows} rows from before.")
        yield Verdict(chat.key, cause, found.source.layer, found.rows, None, told_so, found.command)
    elif entries:
        yield Verdict(chat.key, cause, "journal", 0, None, (why, told(case, chat), NO_COPY), show(entries[0]))
    elif not case.question.text:
        view = case.view(chat)
        place = ["--row", "1"] if view and view.total else []
        left = command(chat.workspace, "sessions", "show", named(case, chat), *place)
        yield Verdict(chat.key, cause, "session", 0, None, (why, told(case, chat), NO_COPY), left)


def taken_out(case: Case, chat: Chat) -> TakenOut | None:
    """What the agent itself took out of the chat's file; None for a chat that has the words that were asked for."""
    view = case.view(chat)
    if chat.ref is None or view is None or (case.question.text and chat.rows("session")):
        return None
    return habits(chat.ref.agent).taken_out(begin(case, chat).header, view.total, chat.workspace.era)


def is_older(case: Case, chat: Chat) -> bool:
    """Whether rows before the first one are gone, and the journal has an entry about the chat that is younger than that."""
    start = begin(case, chat)
    if not start.is_cut or start.first is None:
        return False
    moments = [times.parse(trace.when, case.scope.tz) for trace in about(case, chat)]
    return any(moment is not None and moment + MINUTE > start.first for moment in moments)


def cursor(trace: Trace) -> str:
    """How an entry is called in a sentence."""
    return str(trace.record.id) if trace.record and trace.record.id is not None else f"in line {trace.line}"


def show(trace: Trace) -> str:
    """The command that shows an entry."""
    place = trace.source.workspace._replace(root=trace.source.path, shown=trace.source.shown)
    return command(place, "sessions", "show", "@latest", "--row", str(trace.row))


def _named(case: Case, chat: Chat) -> list[Trace]:
    journals = [
        source
        for source in case.sources
        if source.layer == "journal" and source.kind != "text" and source.workspace.root == chat.workspace.root
    ]
    found = entries(journals, Question(key=chat.key)) if chat.key else ()
    return [item for item in found if isinstance(item, Trace)]
