"""A second copy of the chat's file went on by itself: a sync tool's, a file manager's, or one made by hand."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.blank import is_blank
from memcli.core.causes.framework import Case, Chat
from memcli.core.causes.renamed import is_copy
from memcli.model import Verdict

CAUSE = "conflict-copy"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with a copy beside it that has rows which the chat has not."""
    if chat.ref is None or restoring.is_told(case, chat) or is_blank(chat.ref.path) or is_copy(case, chat):
        return
    view = case.view(chat)
    if view is None or not view.total:  # it was emptied: another cause tells of that
        return
    found = restoring.best(case, chat, CAUSE)
    if found is None:
        return
    kept = " Both versions of rows that differ are kept." if found.differ else ""
    told = f"{found.source.shown} has {found.rows} rows that {chat.ref.shown} has not.{kept}"
    yield Verdict(chat.key, CAUSE, CAUSE, found.rows, found.damaged, (told,), found.command)
