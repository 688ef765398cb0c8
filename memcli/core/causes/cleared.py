"""The chat was emptied: its file has a header and no rows, or none from before."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import times
from memcli.core.causes import archived, restoring
from memcli.core.causes.blank import is_blank
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "cleared"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file is nothing but its header; its rows are where an earlier copy of it is, or in the journal. Words that
    only the journal has, of a chat that began anew after them."""
    view = case.view(chat)
    if chat.ref is None or view is None or case.told(chat) or is_blank(chat.ref.path):
        return
    if view.total:
        if began_anew(case, chat, archived.begin(case, chat).created):
            why = "The chat was emptied and began anew: its first row is younger than what the journal has of it."
            yield from archived.verdict(case, chat, CAUSE, why)
        return
    emptied = f"{chat.ref.shown} has a header and no rows: a command of the agent's emptied the chat."
    unlisted = [] if view.listed else ["The agent's list does not show a chat without rows."]
    found = restoring.best(case, chat)
    if found is None:
        yield from archived.verdict(case, chat, CAUSE, " ".join([emptied, *unlisted]))
        return
    told = (emptied, *unlisted, f"{found.source.shown} has {found.rows} rows from before.")
    yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, None, told, found.command)


def began_anew(case: Case, chat: Chat, created: float | None) -> bool:
    """Whether words stand in the journal only, in entries about the chat that are older than its first row and younger than
    `created`."""
    if not case.question.text or chat.rows("session") or created is None:
        return False
    first = archived.begin(case, chat).first
    moments = [times.parse(trace.when, case.scope.tz) for trace in archived.about(case, chat)]
    return bool(moments) and all(
        moment is not None and first is not None and created - archived.MINUTE <= moment <= first + archived.MINUTE
        for moment in moments
    )
