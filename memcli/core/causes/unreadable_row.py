"""Rows that do not parse: the agent opens the chat empty, or passes over them."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "unreadable-row"
POWER = "power-loss"
MOST = 5


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose rows repair makes readable for its agent; what lossy repair takes out is asked for only where it must."""
    found = mended.way(case, chat)
    if any(verdict.layer == "session" for verdict in case.told(chat)):
        return
    if found:
        yield mended.verdict(case, chat, CAUSE, found)
    elif not case.told(chat):
        yield from _left(case, chat)


def _left(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat of which the agent passes over rows that nothing mends; words that stand in such a row only."""
    view = case.view(chat)
    if view is None or not view.seen or view.seen >= view.total:
        return
    if case.question.text and any(trace.record for trace in chat.rows("session")):
        return
    errors = [finding for finding in case.findings(chat) if finding.severity == "error" and finding.line]
    told = [f"The agent sees {view.seen} of {view.total} rows: {view.reason}."]
    told += [f"Line {finding.line}: {finding.message}" for finding in errors[:MOST]]
    told.append("What is left of them stands in the file until the agent next saves it.")
    place = ["--line", str(errors[0].line)] if errors else []
    cause = POWER if any(finding.code in mended.POWER for finding in errors) else CAUSE
    lost = None if cause == POWER else view.total - view.seen
    show = command(chat.workspace, "sessions", "show", named(case, chat), *place)
    yield Verdict(chat.key, cause, "session", 0, lost, tuple(told), show)
