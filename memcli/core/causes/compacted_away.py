"""The agent put a summary in the place of the chat's older rows, and took them out of the file."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import archived
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "compacted-away"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose header has the summary; words are looked for in what the journal kept of the rows."""
    taken = None if case.told(chat) else archived.taken_out(case, chat)
    if taken is not None and taken.cause == CAUSE and (taken.sure or archived.is_older(case, chat)):
        yield from archived.verdict(case, chat, CAUSE, taken.why)
