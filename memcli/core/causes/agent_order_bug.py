"""The agent itself stored a turn out of order, or without some of its rows."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.formats import faults
from memcli.model import Finding, Verdict

CAUSE = "agent-order-bug"
ORPHAN, UNANSWERED, MISPLACED = "orphan-tool-result", "unanswered-tool-call", "misplaced-result"
MOST = 5


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session in which calls and results do not fit, of an agent that is known to do so."""
    known = faults(chat.workspace.agent).get(CAUSE)
    view = case.view(chat)
    if known is None or view is None or case.question.text or case.told(chat):
        return
    found = [finding for finding in case.findings(chat) if _is_of_it(finding, view.total)]
    if not found:
        return
    lost = sum(_missing(finding) for finding in found)
    told = (known, *(finding.message for finding in found[:MOST]))
    show = command(
        chat.workspace, "sessions", "show", chat.key, *(["--row", str(found[0].row)] if found[0].row else [])
    )
    yield Verdict(chat.key, CAUSE, "session", 0, lost, told, show)


def _is_of_it(finding: Finding, rows: int) -> bool:
    """A call at the very end without a result is what a crash leaves."""
    return finding.code in (ORPHAN, MISPLACED) or (finding.code == UNANSWERED and (finding.row or 0) < rows)


def _missing(finding: Finding) -> int:
    """How many rows it takes to be missing."""
    if finding.code == MISPLACED:
        return 0
    return len(finding.data["calls"]) if finding.code == UNANSWERED else 1
