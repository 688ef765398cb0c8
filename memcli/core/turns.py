"""Where a chat may be cut: between turns, never between a tool call and its result.

A turn is what one asker's row starts. Turns that a call of one and a result in the other tie together are one. Rows before the
first asker's row are a turn of their own; in a chat that nobody asks anything in (a log, a group, a job) a turn ends where
nothing is left open: no call, no result, no thought. Pure functions over records, one for each row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from memcli.model import Record

KEEP = 8
"""Rows at the end of a chat that stay as they are, as the agents that compact by themselves leave them."""
ASKERS = ("user",)
RESULTS = ("tool", "toolResult", "tool_result", "function", "function_call_output")
THOUGHTS = ("reasoning", "thinking")


class Turn(NamedTuple):
    """The records `first` to `last`, both counted from 0, that stay together."""

    first: int
    last: int


def turns(records: Iterable[Record], askers: Collection[str] = ASKERS) -> list[Turn]:
    """The turns of a chat, which together are all of its records. Memory: a few bytes a row, and the open calls."""
    found = _Reading(askers)
    for record in records:
        found.take(record)
    starts = found.boundaries()
    return [Turn(first, after - 1) for first, after in pairwise((*starts, found.rows))]


def cut(records: Iterable[Record], keep: int = KEEP, askers: Collection[str] = ASKERS) -> int:
    """How many records may go from the front so that at least the last `keep` stay: the index of the first that stays.

    0: nothing may go. A turn whose call is still in flight at the end always stays, whatever `keep` is. What stays, cut again
    with the same `keep`, stays whole.
    """
    return kept(turns(records, askers), keep)


def kept(found: Sequence[Turn], keep: int) -> int:
    """The same for turns that are known: the start of the last one that has `keep` records from there on. The last turn of all
    stays."""
    rows = found[-1].last + 1 if found else 0
    return next((turn.first for turn in reversed(found) if rows - turn.first >= keep), 0)


def fit(
    records: Sequence[Record],
    counts: Sequence[int],
    budget: int,
    keep: int = KEEP,
    askers: Collection[str] = ASKERS,
) -> int:
    """The same for a budget in tokens: as few go as leave no more than `budget` of them; `counts` are the tokens of each record.

    At least the last `keep` records stay, also where they are more than the budget, and so does the last turn.
    """
    return fitting(turns(records, askers), counts, budget, keep)


def fitting(found: Sequence[Turn], counts: Sequence[int], budget: int, keep: int) -> int:
    """The same for turns that are known."""
    most = kept(found, keep)
    left = sum(counts)
    for turn in found:
        if left <= budget or turn.first >= most:
            return turn.first
        left -= sum(counts[turn.first : turn.last + 1])
    return most


def counted(records: Iterable[Record]) -> list[int]:
    """The tokens of the text of each record (o200k_base), for `fit`."""
    from memcli.tokens import counter

    count = counter()
    return [count(record.text) for record in records]


class _Reading:
    """Reads records in order: which of them can start a turn, and which ties between rows forbid that."""

    def __init__(self, askers: Collection[str]) -> None:
        self.askers = frozenset(askers)
        self.rows = 0
        self.asks: list[int] = []
        self.rests: list[int] = []  # rows behind which nothing is open, for a chat without askers
        self.ties: list[tuple[int, int]] = []
        self.open: dict[str, list[int]] = {}  # rows of calls that nothing answered, by id
        self.nameless: list[int] = []  # the same for calls without an id
        self.known: dict[str, int] = {}  # the last row that makes a call with this id
        self.strays: dict[str, int] = {}  # the first result before any such call
        self.calling = self.answering = -1
        self.started = 0
        self.settled = True

    def take(self, record: Record) -> None:
        """Read the next record."""
        row = self.rows
        self.rows += 1
        result = record.answers is not None or record.role in RESULTS
        if not result and record.role in self.askers:
            self.asks.append(row)
            self.started = row
        elif self.settled and not result:
            self.rests.append(row)
            self.started = self.started if self.asks else row
        thought = record.role in THOUGHTS or (bool(record.reasoning) and not record.content)
        self.settled = not (result or record.calls or thought)
        if result:
            self._answer(row, record)
        elif record.calls:
            self._call(row, record)
        if record.role not in self.askers and not result:
            self.answering = row

    def boundaries(self) -> list[int]:
        """The rows that start a turn, the first row among them."""
        if not self.rows:
            return []
        self._in_flight()
        starts = [0, *(row for row in self.asks or self.rests if row)]
        crossed = bytearray(self.rows + 1)
        reach = 0
        for first, last in sorted(self.ties):  # a start behind `first`, up to `last`, would part the two
            begin = max(first + 1, reach)
            if last >= begin:
                crossed[begin : last + 1] = b"\1" * (last + 1 - begin)
                reach = last + 1
        return [row for row in starts if not crossed[row]]

    def _call(self, row: int, record: Record) -> None:
        for call in record.calls:
            if call.id is None:
                self.nameless.append(row)
                continue
            before = self.strays.pop(call.id, None)
            if before is not None:
                self.ties.append((before, row))
            self.open.setdefault(call.id, []).append(row)
            self.known[call.id] = row
        self.calling = row

    def _answer(self, row: int, record: Record) -> None:
        own = record.answers
        if own is not None and any(call.id == own for call in record.calls):
            return  # a row that came back from a gateway holds the call and its result
        rows = self.open.get(own) if own is not None else None
        if rows and own is not None:
            self._tie(rows.pop(), row)
            if not rows:
                del self.open[own]
        elif own is not None and own in self.known:  # answered before: a second result stays with the call all the same
            self._tie(self.known[own], row)
        elif self.nameless:
            self._tie(self.nameless.pop(), row)
        elif own is None:
            if any(self.calling in waiting for waiting in self.open.values()):
                self._tie(self.calling, row)
        elif self.calling < self.started:
            self.strays.setdefault(own, row)  # the call may stand behind it

    def _tie(self, first: int, last: int) -> None:
        if not self.asks or first < self.started:  # within a turn nothing is cut
            self.ties.append((first, last))

    def _in_flight(self) -> None:
        """Tie the calls that may still get their results to the end: those that nothing of the agent's stands behind."""
        pending = [row for rows in (*self.open.values(), self.nameless) for row in rows if row >= self.answering]
        if pending:
            self.ties.append((min(pending), self.rows - 1))
