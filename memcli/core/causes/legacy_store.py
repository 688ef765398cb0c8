"""The chat is in a store of an older version that the agent does not read any more."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat
from memcli.core.sources.framework import Trace
from memcli.formats import habits
from memcli.model import Verdict

CAUSE = "legacy-store"
MOST = 3


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Words in such a store; or a session that nothing has, where there is a store that may have had it."""
    if case.told(chat):
        return
    spans = habits(chat.workspace.agent).generations(chat.workspace)
    told = [
        _sentence(span.what) for span in spans if span.path not in chat.workspace.sessions
    ]  # those were looked into
    notes = _passed_over(chat)
    if notes:
        yield Verdict(chat.key, CAUSE, "journal", 0, 0, (*notes, *told))
        return
    rows = chat.rows(CAUSE)
    if rows:
        told = [f"{_place(trace)} of {trace.source.shown} has the words." for trace in rows[:MOST]] + told
    elif case.question.text or chat.ref is not None or not told:
        return
    else:
        told.append("Whether it had this chat is not known.")
    told.append("memcli reads such a store and does not write it: how its rows become a chat is not known.")
    yield Verdict(chat.key, CAUSE, CAUSE, None, None, tuple(told))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _passed_over(chat: Chat) -> list[str]:
    """Where the words stand in a log or a note of an older version that will never be brought over."""
    left = [span.path for span in habits(chat.workspace.agent).generations(chat.workspace) if span.lost]
    traces = [trace for trace in chat.rows("journal") if trace.source.kind == "text"]
    found = [trace for trace in traces if {trace.source.path, os.path.dirname(trace.source.path)} & set(left)]
    if len(found) < len(chat.traces):
        return []
    return [f"Line {trace.line} of {trace.source.shown} has the words." for trace in found[:MOST]]


def _place(trace: Trace) -> str:
    table = trace.source.detail.get("table")
    return f"Row {trace.row} of the table {table}" if table else "A row"
