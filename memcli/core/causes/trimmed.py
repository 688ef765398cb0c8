"""The agent keeps only so many rows: the first ones were cut off."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "trimmed"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose first number is greater than one; the rows before are where an earlier copy of it is."""
    if chat.ref is None or case.told(chat):
        return
    finding = next((one for one in case.findings(chat) if one.code == CAUSE), None)
    if finding is None:
        return
    found = restoring.best(case, chat)
    if found is None and case.question.text:
        return
    gone = int(finding.data["missing"])
    if found is None:
        show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", "1")
        told = (finding.message, "No copy from before was found.")
        yield Verdict(chat.key, CAUSE, "session", 0, gone, told, show)
        return
    told = (
        finding.message,
        f"{found.source.shown} has {found.rows} of them. The agent may cut them off again when it saves.",
    )
    yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, max(0, gone - found.rows), told, found.command)
