"""The file opens, and something wrote it without rows that an earlier copy has."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "overwritten-by-agent"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Words that only an earlier copy of a session has, where nothing in the session tells why they are not in it."""
    if chat.ref is None or not case.question.text or case.told(chat):
        return
    found = restoring.best(case, chat)
    if found is not None:
        told = f"{found.source.shown} has {found.rows} rows that {chat.ref.shown} has not, those with the words among them."
        yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, None, (told,), found.command)
