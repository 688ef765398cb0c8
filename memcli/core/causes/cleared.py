"""The chat was emptied: its file has a header and no rows."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.blank import is_blank
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "cleared"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file is nothing but its header; its rows are where an earlier copy of it is."""
    view = case.view(chat)
    if chat.ref is None or view is None or view.total or case.told(chat) or is_blank(chat.ref.path):
        return
    found = restoring.best(case, chat)
    if found is None and case.question.text:
        return
    told = [f"{chat.ref.shown} has a header and no rows: a command of the agent's emptied the chat."]
    told += [] if view.listed else ["The agent's list does not show a chat without rows."]
    if found is None:
        told.append("No copy from before was found.")
        show = command(chat.workspace, "sessions", "show", named(case, chat))
        yield Verdict(chat.key, CAUSE, "session", 0, None, tuple(told), show)
        return
    told.append(f"{found.source.shown} has {found.rows} rows from before.")
    yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, None, tuple(told), found.command)
