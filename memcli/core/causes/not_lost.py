"""The chat is where it belongs, and the agent shows it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, command
from memcli.model import Verdict

CAUSE = "not-lost"


def evidence(case: Case) -> Iterator[Verdict]:
    """A chat that the agent lists and loads whole."""
    for chat in case.chats:
        view = case.view(chat)
        if chat.ref is None or view is None or not view.listed or view.seen < view.total:
            continue
        rows = chat.rows("session")
        if case.question.text and not rows:
            continue
        told = [f"The agent lists the chat and loads all {view.total} rows."]
        told += [f"Row {trace.row} of {chat.ref.shown} has the words." for trace in rows[:3] if trace.row]
        place = ["--row", str(rows[0].row)] if rows and rows[0].row else []
        yield Verdict(
            chat.key, CAUSE, "session", 0, 0, tuple(told), command(chat.workspace, "sessions", "show", chat.key, *place)
        )
