"""The chat is where it belongs, and the agent shows it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.model import Verdict

CAUSE = "not-lost"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat that the agent lists and loads whole, and that nothing else is said of."""
    view = case.view(chat)
    rows = chat.rows("session")
    if case.told(chat) or chat.ref is None or view is None or not view.listed or view.seen < view.total:
        return
    if case.question.text and not rows:
        return
    told = [f"The agent lists the chat and loads all {view.total} rows."]
    told += [f"Row {trace.row} of {chat.ref.shown} has the words." for trace in rows[:3] if trace.row]
    told += [span.sentence for span in case.hidden(chat)] if case.question.text else view.notes
    place = ["--row", str(rows[0].row)] if rows and rows[0].row else []
    show = command(chat.workspace, "sessions", "show", chat.key, *place)
    yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), show)
