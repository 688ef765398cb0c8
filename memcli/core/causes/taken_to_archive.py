"""memcli itself took the chat's older rows out of the file, and has them in its archive."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.model import Verdict

CAUSE = "trimmed"
LAYER = "archive"
SHOWN = 20
"""So many records are shown where they cannot be put back."""


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat of which rows are in the archive; where words were asked for, one that has them there and nowhere else."""
    kept = case.of(chat, LAYER)
    if not kept or case.told(chat):
        return
    if case.question.text and not any(trace.source.layer == LAYER for trace in restoring.missing(case, chat)):
        return
    rows, since = kept[0].detail["rows"], kept[0].detail["since"]
    verb = "row of it is" if rows == 1 else "rows of it are"
    told = [f"{rows:,} {verb} in memcli's archive" + (f", the first since {since}." if since else ".")]
    found = restoring.best(case, chat, LAYER)
    if found is not None:
        told.append("An agent that keeps so many rows and no more cuts them off again when it saves.")
        yield Verdict(chat.key, CAUSE, LAYER, found.rows, None, tuple(told), found.command)
        return
    show = command(chat.workspace, "tail", kept[0].path, "-n", str(SHOWN))
    told.append("They could not be put back into the chat as it is.")
    yield Verdict(chat.key, CAUSE, LAYER, 0, None, tuple(told), show)
