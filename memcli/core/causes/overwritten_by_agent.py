"""The agent opened the chat empty, because of one bad byte or line, and its next turn wrote a new file over the old one."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli import times
from memcli.core.causes import archived, restoring
from memcli.core.causes.framework import Case, Chat
from memcli.core.examining import Target
from memcli.core.rows import read, records
from memcli.core.sources.framework import Source
from memcli.core.viewing import view
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import Verdict
from memcli.storage.reading import open_regular

CAUSE = "overwritten-by-agent"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file was made anew after the last row of a copy that the agent opens empty; or words that only the journal
    has, in entries from before the file was made."""
    if chat.ref is None or case.told(chat) or not (seen := case.view(chat)) or not seen.total:
        return
    begin = archived.begin(case, chat)
    if begin.created is None:
        return
    found = restoring.best(case, chat)
    if found is not None:
        last = _last(case, found.source)
        if last is None or last > begin.created or found.source.kind == "packed":
            return
        told = [f"The file was made anew at {times.iso(begin.created)}; {found.source.shown} is from before."]
        before = _opened(chat, found.source)
        told += [f"Of that the agent sees nothing: {before}."] if before else []
        lost = None if found.damaged else 0
        yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, lost, tuple(told), found.command)
        return
    moments = [times.parse(trace.when, case.scope.tz) for trace in archived.about(case, chat)]
    gone = case.question.text and not chat.rows("session") and moments
    if gone and all(moment is not None and moment + archived.MINUTE < begin.created for moment in moments):
        why = (
            f"The file was made anew at {times.iso(begin.created)}, after what the journal has of the chat: it was deleted, "
            "or opened empty and overwritten."
        )
        yield from archived.verdict(case, chat, CAUSE, why)


def _last(case: Case, source: Source) -> float | None:
    """The time of the last row of a copy that tells one."""
    form = load(source.workspace.agent)
    found = None
    try:
        fd = open_regular(source.path)
    except CannotRead:
        return None
    try:
        for row in read(fd, form):
            for record in records(form, row.decoded) if row.number else ():
                moment = times.parse(record.timestamp, case.scope.tz)
                found = found if moment is None else moment
    finally:
        os.close(fd)
    return found


def _opened(chat: Chat, source: Source) -> str:
    """Why the agent would open a copy, in the chat's place, empty; "" where it would not."""
    assert chat.ref is not None
    made = view(Target(chat.ref.path, chat.ref.shown, "session", chat.workspace), source.path)
    return "" if made.seen else made.reason
