"""Which sessions are compacted next: the longest idle and the longest first, a few a run, and why the others are not. Pure.

Score: minutes of silence times rows, as the agents that compact by themselves mean it; here with real numbers of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from memcli.core import states
from memcli.core.counts import Count
from memcli.core.states import Limits
from memcli.core.turns import KEEP

MOST = 3
"""Sessions in one run."""
ASKED = 24
"""Sessions that are looked at more closely in one run."""
LEAST = 1.0
"""Minutes of silence that count at least."""

CHOSEN = ""
REASONS = (
    "unreadable",
    "own-work",
    "live",
    "fresh",
    "compacted",
    "short",
    "set-aside",
    "backed-off",
    "locked",
    "later",
    "unread",
    "undreamt",
    "proposed",
)
UNREADABLE, OWN, LIVE, FRESH, COMPACTED, SHORT, SET_ASIDE, BACKED_OFF, LOCKED, LATER, UNREAD, UNDREAMT, PROPOSED = (
    REASONS
)
"""Why a session is skipped: it cannot be read; it is the agent's own work on its memory; somebody is talking; somebody may go on;
a summary stands for all rows but those that stay; it has no others; it failed too often, or waits for its next try; the agent is
at work on it; enough others come before it; the agent reads no summary of it; Dream has yet to read its rows; a summary of it
waits in the inbox."""


class Candidate(NamedTuple):
    """One session. `summarised` is for how many of its rows, from the first, a summary stands, None where only the session itself
    tells; `done` tells that nothing else of it, as it is, can be summarised; `archived` how many are in memcli's archive; `waits`
    seconds until it may be tried again, `aside` whether it failed too often; `own` whether it is the agent's own work on its
    memory; `unread` why a summary of it would be read by nobody; `proposed` the proposal of one."""

    session: Count
    summarised: int | None = None
    archived: int = 0
    waits: float = 0.0
    aside: bool = False
    own: bool = False
    done: bool = False
    unread: str = ""
    proposed: str = ""


class Queued(NamedTuple):
    """A session with its place: `reason` is CHOSEN, or one of REASONS; `why` says it in a clause, "" for a chosen one. `left` are
    the rows that no summary stands for."""

    session: Count
    state: str
    minutes: float
    left: int
    score: float
    reason: str
    why: str


def queue(
    candidates: Iterable[Candidate],
    now: float,
    limits: Limits = states.DEFAULT,
    *,
    keep: int = KEEP,
    most: int = MOST,
    busy: Callable[[Count], str] = lambda session: "",
    look: Callable[[Count], tuple[str, str]] = lambda session: (CHOSEN, ""),
) -> list[Queued]:
    """Every session, those that are compacted now first, then by score; at most `most` are chosen.

    `busy` says why a session must be left alone right now, "" when it need not; `look` looks into it, and gives the reason and
    the clause why nothing can be done. They are asked only for those that would be chosen, and ASKED times at most: where an
    agent is at work on a whole workspace, each session would be asked about in vain.
    """
    judged = [_judged(one, now, limits, keep) for one in candidates]
    judged.sort(key=lambda one: (-one.score, one.session.key, one.session.path))
    chosen: list[Queued] = []
    skipped: list[Queued] = []
    asked = 0
    for one in judged:
        if one.reason == CHOSEN and (len(chosen) >= most or asked >= ASKED):
            one = one._replace(reason=LATER, why=f"{most if len(chosen) >= most else asked} others come before it")
        elif one.reason == CHOSEN:
            asked += 1
            why = busy(one.session)
            reason, why = (LOCKED, why) if why else look(one.session)
            one = one._replace(reason=reason, why=why)
        (skipped if one.reason else chosen).append(one)
    return [*chosen, *skipped]


def _judged(one: Candidate, now: float, limits: Limits, keep: int) -> Queued:
    count = one.session
    summarised = count.marks.summarised if one.summarised is None else min(one.summarised, max(0, count.rows))
    marks = count.marks._replace(summarised=summarised)
    told = states.facts(marks, count.rows, count.changed, readable=count.rows >= 0, archived=one.archived)
    state = states.state(told, now, limits)
    minutes = max(0.0, now - count.changed) / 60
    score = max(LEAST, minutes) * max(0, count.rows)
    reason, why = _reason(one, state, told.left, told.marked, minutes, limits, keep)
    return Queued(count, state, minutes, told.left, score, reason, why)


def _reason(
    one: Candidate, state: str, left: int, marked: bool, minutes: float, limits: Limits, keep: int
) -> tuple[str, str]:
    if state == states.UNREADABLE:
        return UNREADABLE, "it cannot be read"
    if one.own:
        return OWN, "it is the agent's own work on its memory"
    if one.unread:
        return UNREAD, one.unread
    if state == states.LIVE:
        return LIVE, "it was changed less than a minute ago" if limits == states.DEFAULT else "it was changed just now"
    if state == states.IDLE:
        return FRESH, f"it is idle for {minutes:.0f} of {limits.ended / 60:.0f} minutes"
    if one.proposed:
        return PROPOSED, f"a summary of it waits in the inbox as {one.proposed}"
    if one.done and marked:
        return COMPACTED, f"a summary stands for all but {_rows(left)}"
    if left <= keep and marked:
        return COMPACTED, f"a summary stands for all but {_rows(left)}"
    if left <= keep:
        return SHORT, f"it has no more than the {keep} rows that stay" if one.session.rows else "it has no rows"
    if one.done:
        return SHORT, "no whole turn can go"
    if one.aside:
        return SET_ASIDE, "it failed too often"
    if one.waits > 0:
        return BACKED_OFF, f"it failed, and is tried again in {max(1, round(one.waits / 60))} minutes"
    return CHOSEN, ""


def _rows(count: int) -> str:
    return f"{count:,} row" if count == 1 else f"{count:,} rows"
