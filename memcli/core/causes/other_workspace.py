"""The chat is in another workspace than the one that was looked in."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import away
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "other-workspace"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session that this workspace does not have and another has."""
    if case.told(chat) or not chat.key:
        return
    found = away.found(case, chat, CAUSE)
    if found is not None:
        told = f"{found.root} is another workspace: the agent shows the chat when that one is open."
        yield from away.verdicts(case, chat, CAUSE, found, told)
