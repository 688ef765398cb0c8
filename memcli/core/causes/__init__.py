"""The ways to lose a chat, the likeliest first; and the judgement of one case by all of them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from memcli.core.causes import anew
from memcli.core.causes.framework import Case, Cause
from memcli.core.sources.framework import Trace
from memcli.model import Verdict

NOT_LOST, UNKNOWN = "not-lost", "unknown"
PLACES = 5
"""So many places are told where there is nothing else to tell."""
QUOTED = 80
_CAUSES = (
    "crash_before_rename",
    "power_loss",
    "moved_by_upgrade",
    "compacted_away",
    "taken_to_archive",
    "trimmed",
    "never_dreamt",
    "discarded",
    "overwritten_by_mirror",
    "conflict_copy",
    "name_collision",
    "renamed",
    "bad_encoding",
    "hidden_by_list",
    "unreadable_row",
    "cleared",
    "overwritten_by_agent",
    "memory_overwritten",
    "deleted",
    "unregistered_project",
    "other_workspace",
    "agent_order_bug",
    "never_written",
    "bricked_by_row",
    "pairing_hides",
    "offset_hides",
    "locked_out",
    "legacy_store",
    "rewritten",
    "not_lost",
)


@cache
def causes() -> tuple[Cause, ...]:
    """The modules of this package that are causes."""
    return tuple(cast("Cause", import_module(f"{__name__}.{name}")) for name in _CAUSES)


def verdicts(case: Case) -> list[Verdict]:
    """What became of the chats in question, the likeliest cause first; never empty: what leaves no trace is unknown."""
    lost: list[Verdict] = []
    found: list[Verdict] = []
    for chat in case.chats:
        told = case.told(chat)
        for cause in causes():
            told += cause.evidence(case, chat)
        (found if not told or told[0].cause == NOT_LOST else lost).extend(told)
    return [*lost, *found] or [_unknown(case)]


def _unknown(case: Case) -> Verdict:
    text, _, key, words = case.question
    layer = "none"
    what = f"the words {key!r}, nor a session of that name" if words else f"the words {text!r}"
    told = [f"Nothing that was looked at has {what if words or not key else f'rows of a session {key!r}'}."]
    told.append("Fewer words may be found; what is in another folder, or in a backup, is looked at with -W.")
    if case.traces:
        layer = case.traces[0].source.layer
        told = [*dict.fromkeys(map(_place, case.traces))][:PLACES]
        told.append("No row of a chat that could be brought back is known there.")
    told += [f"It was not possible to look everywhere: {sentence}." for sentence in case.unchecked]
    told += anew.limits(case.scope.workspaces)
    told.append("A seal (memcli seal), a backup or an earlier copy would have been needed to know more.")
    return Verdict("" if words else key, UNKNOWN, layer, None, None, tuple(told))


def _place(trace: Trace) -> str:
    """Where words stand that no cause could make anything of."""
    source = trace.source
    line = "" if trace.line is None else f" line {trace.line}"
    commit = source.detail.get("commit", "")
    commit = f", {source.detail['change']} by commit {commit[:12]}" if commit else ""
    when = f" of {trace.when}" if trace.when else ""
    text = trace.text if len(trace.text) <= QUOTED else trace.text[:QUOTED] + "..."
    return f"Layer {source.layer}: {source.shown}{line}{commit}{when}" + (f": {text}" if text else " has it.")
