"""The agent keeps only so many rows: the first ones were cut off."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import archived, restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "trimmed"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose first number is greater than one; the rows before are where an earlier copy of it is. Without numbers, one
    that is as long as its agent lets it be and that began before its first row."""
    if chat.ref is None or restoring.is_told(case, chat):
        return
    taken = archived.taken_out(case, chat)
    if taken is not None and taken.cause == CAUSE and archived.begin(case, chat).is_cut:
        yield from archived.verdict(case, chat, CAUSE, taken.why)
        return
    finding = next((one for one in case.findings(chat) if one.code == CAUSE), None)
    if finding is None:
        return
    found = restoring.best(case, chat)
    if found is None and case.question.text:
        return
    gone = int(finding.data["missing"])
    if found is not None and found.rows > gone:  # it has others as well: it went on by itself
        return
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
