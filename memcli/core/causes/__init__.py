"""The ways to lose a chat, the likeliest first; and the judgement of one case by all of them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from memcli.core.causes.framework import Case, Cause
from memcli.model import Verdict

NOT_LOST = "not-lost"
_CAUSES = (
    "crash_before_rename",
    "power_loss",
    "moved_by_upgrade",
    "compacted_away",
    "trimmed",
    "conflict_copy",
    "name_collision",
    "renamed",
    "bad_encoding",
    "hidden_by_list",
    "unreadable_row",
    "overwritten_by_mirror",
    "cleared",
    "overwritten_by_agent",
    "deleted",
    "agent_order_bug",
    "never_dreamt",
    "never_written",
    "bricked_by_row",
    "pairing_hides",
    "offset_hides",
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
    asked = case.question.key or case.question.text
    evidence = (
        f"Nothing that was looked at holds {'a session' if case.question.key else 'the words'} {asked!r}.",
        "A seal (memcli seal), a backup or an earlier copy would have been needed to know more.",
    )
    return Verdict(case.question.key, "unknown", "none", None, None, evidence)
