"""Rows that were said and that the agent never wrote: a row that makes each of its saves fail."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "never-written"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session that was asked for and that cannot be saved any more. Words that were found were written."""
    sent = case.sent(chat)
    if sent is None or not sent.unsaved or case.question.text:
        return
    told = (
        f"Row {sent.unsaved} makes every save of the chat fail: what was said after it was last saved was never written.",
        *(finding.message for finding in case.findings(chat) if finding.code == "lone-surrogate"),
    )
    show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", str(sent.unsaved))
    yield Verdict(chat.key, CAUSE, "session", 0, None, told, show)
