"""The chat is in a project that the agent lost sight of: nothing that it opens names the folder any more."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import away
from memcli.core.causes.framework import Case, Chat
from memcli.formats import whereabouts
from memcli.model import Verdict

CAUSE = "unregistered-project"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session of such a project, in question or found there; it is brought into a workspace that the agent opens."""
    if case.told(chat) or not chat.key:
        return
    found = away.here(chat) if whereabouts(chat.workspace.agent).standing(chat.workspace) == CAUSE else None
    found = found or away.found(case, chat, CAUSE)
    if found is not None:
        told = f"{found.root} is a project that the agent's registry of folders does not name."
        yield from away.verdicts(
            case, chat, CAUSE, found, told, "Adding the folder in the agent again shows it in its place."
        )
