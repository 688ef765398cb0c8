"""Where rows of B belong between those of A: the order that each side has is kept, what it leaves open is decided by time.

Between two rows that both have, the rows that only A has and those that only B has are put together by their times. An
answer stays with the call that it follows, and a line that cannot be read with the row before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from math import inf, isnan
from typing import NamedTuple

from memcli.core.comparing import Comparison
from memcli.core.sides import Side
from memcli.storage.facts import HEADER, SHARED, UNREAD


class Insertion(NamedTuple):
    """Entries of B that come behind the entry `behind` of A, -1: before all of them."""

    behind: int
    entries: list[int]


class _Unit(NamedTuple):
    """Entries that stay together, and their time."""

    entries: list[int]
    time: float


def insertions(made: Comparison, wanted: Sequence[int], anchors: Sequence[int]) -> list[Insertion]:
    """Where the entries `wanted` of B (rising) go. `anchors` are the entries of A (rising) whose partners hold their place,
    so that what is before and behind them stays so."""
    partners = [made.partners[entry] for entry in anchors]
    found: list[Insertion] = []
    at = 0
    while at < len(wanted):
        gap = bisect_left(partners, wanted[at])
        high = partners[gap] if gap < len(partners) else len(made.b)
        stop = bisect_right(wanted, high - 1, at)
        low_a = anchors[gap - 1] if gap else -1
        high_a = anchors[gap] if gap < len(anchors) else len(made.a)
        found += _between(made, low_a, high_a, wanted[at:stop])
        at = stop
    return found


def _between(made: Comparison, low: int, high: int, wanted: Sequence[int]) -> Iterator[Insertion]:
    """The entries `wanted` of B between the entries `low` and `high` of A."""
    while low + 1 < high and _stays(made.a, low + 1):
        low += 1
    mine = _units(made.a, range(low + 1, high), -inf)
    its = _units(made.b, wanted, inf)
    if its and _stays(made.b, its[0].entries[0]):
        its[0] = its[0]._replace(time=-inf)  # an answer to a call that both have
    behind, next_a = low, 0
    entries: list[int] = []
    for unit in its:
        while next_a < len(mine) and mine[next_a].time <= unit.time:
            if entries:
                yield Insertion(behind, entries)
                entries = []
            behind = mine[next_a].entries[-1]
            next_a += 1
        entries += unit.entries
    if entries:
        yield Insertion(behind, entries)


def _units(side: Side, entries: Sequence[int], unknown: float) -> list[_Unit]:
    """The entries in units. One without a time has that of the unit before it, else of the first behind it that has one,
    else `unknown`."""
    groups: list[list[int]] = []
    for entry in entries:
        if groups and _stays(side, entry):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    stamps = [next((time for entry in group if not isnan(time := side.facts.times[entry])), None) for group in groups]
    last = next((time for time in stamps if time is not None), unknown)
    units = []
    for group, stamp in zip(groups, stamps, strict=True):
        last = last if stamp is None else stamp
        units.append(_Unit(group, last))
    return units


def _stays(side: Side, entry: int) -> bool:
    """Whether an entry stays with the one before it."""
    return bool(side.facts.flags[entry] & (UNREAD | HEADER | SHARED)) or entry in side.answers
