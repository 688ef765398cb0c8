"""A chat that is there and that the agent's list does not show: a fault of its own header, or of another chat's."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import breaker, in_place, is_listed, named
from memcli.model import FAILS, Verdict

CAUSE = "hidden-by-list"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose header repair makes whole, or one that comes back with another's."""
    view = case.view(chat)
    found = mended.way(case, chat)
    if view is not None and found is not None and found.codes & mended.HEADER and not is_listed(view):
        told = "The agent's list does not show the chat under its key."
        if view.list_fault == FAILS:
            what = "There is no header" if "missing-header" in found.codes else "The header has no updated_at"
            told = f"{what}: with a second chat beside it the agent's whole list can fail."
        yield mended.verdict(case, chat, CAUSE, found, told)
        return
    other = breaker(case, chat)
    if view is None or other is None or not view.seen or not in_place(chat) or not is_listed(view):
        return
    mend = command(other.workspace, "repair", named(case, Chat(other.key, other.workspace, other)), "--apply")
    told = f"{other.shown} has no updated_at in its header: the agent's whole list can fail at it, all chats with it."
    yield Verdict(chat.key, CAUSE, "session", view.seen, 0, (told, "This chat itself is whole."), mend)
