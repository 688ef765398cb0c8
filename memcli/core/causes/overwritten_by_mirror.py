"""A copy that holds less was written over the file: it came back from a mirror."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.model import Verdict

CAUSE = "overwritten-by-mirror"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session that bears the marks of such a copy; which rows had not been sent to the mirror nobody knows."""
    if case.question.text:
        return
    for finding in case.findings(chat):
        if finding.code == CAUSE:
            told = (finding.message, "Rows that had not been sent to the mirror are gone from here.")
            yield Verdict(
                chat.key, CAUSE, "session", 0, None, told, command(chat.workspace, "sessions", "show", chat.key)
            )
