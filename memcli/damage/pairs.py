"""Tool calls and their results: providers refuse a chat in which they do not pair up."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from memcli.damage.entries import beyond, is_alone, removal
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import NUMBER, UNREAD, Facts

SCOPE = "rows"
CLASSES = (
    Class(
        "orphan-tool-result",
        "a tool result without its call",
        "error",
        "flag",
        looks="A row answers a call that no row before it makes, or one that was answered already.",
        does="Nothing by itself: the call that would be needed cannot be known. Where the agent keeps all that lies before such "
        "a row from the model, --drop-bad-rows takes it away; elsewhere it is only told of.",
        lost="The row, which goes to quarantine.",
        flag="--drop-bad-rows",
    ),
    Class(
        "unanswered-tool-call",
        "a tool call without a result",
        "warning",
        "flag",
        looks="A call is made, and no row answers it: a crash in the middle of a turn leaves it so.",
        does="Nothing by itself; --synthesize-results adds a row behind it that says that the result was lost.",
        flag="--synthesize-results",
    ),
    Class(
        "duplicate-tool-call-id",
        "one id for two calls of a row",
        "error",
        "report",
        looks="A row makes two calls with the same id.",
        does="Nothing: which result belongs to which of them cannot be known.",
    ),
    Class(
        "misplaced-result",
        "a tool result in the wrong place",
        "warning",
        "report",
        looks="A result stands before its call, or behind other rows than the results of that call.",
        does="Nothing: the order in the file is left as it is.",
    ),
)
ORPHAN, UNANSWERED, TWICE, MISPLACED = CLASSES
MOST = 10_000
"""So many results that fit no call are told one by one."""


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """A finding for each result without call, each row with unanswered calls, each id given twice, each result misplaced."""
    facts = snapshot.facts
    if not snapshot.rules.pairs or not facts.call_entries:
        return
    found = _match(facts, snapshot.rules.linked)
    declared = _declared(facts, {call for _, call in found.strangers})
    for entry, call in found.strangers:
        row = facts.row(entry)
        if declared.get(call, -1) > entry:
            message = f"Row {row} answers a call that only row {facts.row(declared[call])}, behind it, makes."
            yield MISPLACED.finding(snapshot.path, message, data={"entry": entry}, **snapshot.place(entry))
        else:
            why = "that was answered before" if call in declared else "that no row makes"
            message = f"Row {row} is the result of a call {why}."
            place: dict[str, Any] = {"data": {"entry": entry}, **snapshot.place(entry)}
            if not snapshot.rules.cuts:
                place |= {"repair": "report", "flag": ""}
            yield ORPHAN.finding(snapshot.path, message, **place)
    for entry, origin in found.late[: snapshot.limit]:
        message = f"Row {facts.row(entry)} answers a call of row {facts.row(origin)}, with other rows in between."
        yield MISPLACED.finding(snapshot.path, message, data={"entry": entry}, **snapshot.place(entry))
    for entry in found.twice[: snapshot.limit]:
        message = f"Row {facts.row(entry)} makes two calls with the same id."
        yield TWICE.finding(snapshot.path, message, data={"entry": entry}, **snapshot.place(entry))
    early = {call for entry, call in found.strangers if declared.get(call, -1) > entry}
    told = more = 0
    for entry, calls in groupby(found.unanswered(), itemgetter(0)):
        missing = [call for _, call in calls if call not in early]
        if missing and told == snapshot.limit:
            more += 1
        elif missing:
            told += 1
            yield _unanswered(snapshot, entry, missing)
    yield from beyond(snapshot, UNANSWERED, more)
    if snapshot.limit is not None:
        yield from beyond(snapshot, MISPLACED, len(found.late) - snapshot.limit)
        yield from beyond(snapshot, TWICE, len(found.twice) - snapshot.limit)


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Add a row for each unanswered call behind the results that are there; take a result without its call away."""
    if finding.code == ORPHAN.code and finding.repair == "flag":
        entry = finding.data["entry"]
        return [removal(snapshot, entry, finding.code)] if is_alone(snapshot, entry) else []
    build = snapshot.rules.answer
    if finding.code != UNANSWERED.code or build is None:
        return []
    entry, behind = finding.data["entry"], finding.data["behind"]
    value = snapshot.value(entry)
    if not all(is_alone(snapshot, one) for one in (entry, behind)):
        return []
    offset, length = snapshot.span(behind)
    facts = snapshot.facts
    last = behind == len(facts) - 1 and facts.flags[behind] & NUMBER
    edits: list[Edit | Action] = []
    for index, name in enumerate(finding.data["calls"]):
        number = facts.ids[behind] + 1 + index if last else None
        line = build(value, name, number) + b"\n"
        edits.append(Edit(offset + length, 0, line, finding.code, rows=1, row=facts.row(behind), records=1))
    return edits


class _Matched(NamedTuple):
    """`strangers` are results that fit no open call (entry, call), `late` (entry of the result, of the call). `left` are calls
    that nothing answers, with their entries in order, `again` the same for ids that were given to another call before.
    """

    strangers: list[tuple[int, int]]
    late: list[tuple[int, int]]
    twice: list[int]
    left: dict[int, int]
    again: list[tuple[int, int]]

    def unanswered(self) -> Iterator[tuple[int, int]]:
        """(entry, call) in the order of entries. Memory: none, for hundreds of thousands of calls."""
        return merge(sorted(self.again), ((entry, call) for call, entry in self.left.items()), key=itemgetter(0))


def _match(facts: Facts, linked: bool) -> _Matched:
    """Go through calls and results in order. Open calls are kept, answered ones forgotten.

    Without links, the results of a row must follow it at once, one behind the other.
    """
    strangers: list[tuple[int, int]] = []
    late: list[tuple[int, int]] = []
    twice: list[int] = []
    open_calls: dict[int, int] = {}
    again: list[tuple[int, int]] = []
    latest = reached = -1  # the row that makes the latest calls, and how far its results have come
    made: set[int] = set()
    for entry, number in zip(facts.call_entries, facts.call_ids, strict=True):
        call = number & ~1
        if not number & 1:
            if entry != latest:
                latest = reached = entry
                made = set()
            if call in made:
                if not twice or twice[-1] != entry:
                    twice.append(entry)
                continue
            made.add(call)
            if call in open_calls:  # made again before it was answered
                again.append((open_calls.pop(call), call))
            open_calls[call] = entry
            continue
        origin = open_calls.pop(call, -1)
        if origin < 0:
            if len(strangers) < MOST:
                strangers.append((entry, call))
        elif not linked and (origin != latest or entry > reached + 1) and not _unread(facts, reached + 1, entry):
            late.append((entry, origin))
        if origin == latest or entry <= reached + 1:
            reached = max(reached, entry)
    return _Matched(strangers, late, twice, open_calls, again)


def _unread(facts: Facts, start: int, end: int) -> bool:
    """Whether all that stands between is unreadable: it may be a result of the same call."""
    return start < end and all(facts.flags[entry] & UNREAD for entry in range(start, end))


def _declared(facts: Facts, calls: set[int]) -> dict[int, int]:
    """The last entry that makes each of these calls."""
    if not calls:
        return {}
    return {
        number: entry
        for entry, number in zip(facts.call_entries, facts.call_ids, strict=True)
        if not number & 1 and number in calls
    }


def _unanswered(snapshot: RowsSnapshot, entry: int, calls: list[int]) -> Finding:
    facts = snapshot.facts
    made = {number for number in _numbers(facts, entry) if not number & 1}
    behind = entry
    while any(number & 1 and number & ~1 in made for number in _numbers(facts, behind + 1)):
        behind += 1
    names = [name for name in dict.fromkeys(snapshot.rules.calls(snapshot.value(entry))) if hash(name) & ~1 in calls]
    message = f"{count(len(calls), 'call')} of row {facts.row(entry)} {'has' if len(calls) == 1 else 'have'} no result."
    data = {"entry": entry, "behind": behind, "calls": names}
    repair, flag = ("flag", UNANSWERED.flag) if snapshot.rules.answer else ("report", "")
    return UNANSWERED.finding(snapshot.path, message, repair=repair, flag=flag, data=data, **snapshot.place(entry))


def _numbers(facts: Facts, entry: int) -> Sequence[int]:
    """The calls and results of one entry."""
    start, end = (find(facts.call_entries, entry) for find in (bisect_left, bisect_right))
    return facts.call_ids[start:end]
