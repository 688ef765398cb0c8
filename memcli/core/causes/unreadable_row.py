"""Rows that do not parse: the agent opens the chat empty, or passes over them."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "unreadable-row"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose rows repair makes readable for its agent; what lossy repair takes out is asked for only where it must."""
    found = mended.way(case, chat)
    if found and not any(verdict.layer == "session" for verdict in case.told(chat)):
        yield mended.verdict(case, chat, CAUSE, found)
