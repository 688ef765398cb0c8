"""A copy that holds less was written over the file: it came back from a mirror."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "overwritten-by-mirror"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session that bears the marks of such a copy; which rows had not been sent to the mirror nobody knows."""
    finding = next((one for one in case.findings(chat) if one.code == CAUSE), None)
    if chat.ref is None or finding is None or restoring.is_told(case, chat):
        return
    found = restoring.best(case, chat, versions=restoring.COPY)
    told = (finding.message, "Rows that had not been sent to the mirror are gone from here.")
    if found is not None:
        where = f"{found.source.shown} has {found.rows} rows that are not in it"
        where += f", and its own version of {found.differ}, which takes their place." if found.differ else "."
        yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, None, (*told, where), found.command)
    elif not case.question.text:
        show = command(chat.workspace, "sessions", "show", named(case, chat))
        yield Verdict(chat.key, CAUSE, "session", 0, None, told, show)
