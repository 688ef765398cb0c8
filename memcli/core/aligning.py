"""Which rows of two copies stand in the same order: equal beginnings and ends, then rows that each side has once, alone or
with the row behind them.

This is the patience way of finding a common subsequence, with a bound on its depth: O(n log n) for every input, and exact
where rows differ from each other, as rows with an id or a time do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

DEPTH = 12
"""So often a gap is looked at for rows that are unique in it; then equal rows are taken in the order in which they come."""


class Run(NamedTuple):
    """`length` entries from `a` on equal those from `b` on."""

    a: int
    b: int
    length: int


def chain(a: Sequence[int], b: Sequence[int]) -> list[Run]:
    """The runs of equal codes in the order of both."""
    found: list[Run] = []
    gaps = [(0, len(a), 0, len(b), 0)]
    while gaps:
        a0, a1, b0, b1, depth = gaps.pop()
        same = prefix(a, b, a0, a1, b0, b1)
        if same:
            found.append(Run(a0, b0, same))
            a0, b0 = a0 + same, b0 + same
        same = suffix(a, b, a0, a1, b0, b1)
        if same:
            a1, b1 = a1 - same, b1 - same
            found.append(Run(a1, b1, same))
        if a0 == a1 or b0 == b1:
            continue
        pairs = rising(_unique(a, b, a0, a1, b0, b1) or _doubly(a, b, a0, a1, b0, b1)) if depth < DEPTH else []
        if not pairs:
            found += [Run(i, j, 1) for i, j in rising(_in_turn(a, b, a0, a1, b0, b1))]
            continue
        for i, j in [*pairs, (a1, b1)]:
            gaps.append((a0, i, b0, j, depth + 1))
            a0, b0 = i + 1, j + 1
        found += [Run(i, j, 1) for i, j in pairs]
    return list(_joined(sorted(found)))


def prefix(a: Sequence[int], b: Sequence[int], a0: int, a1: int, b0: int, b1: int) -> int:
    """How many codes are equal from the beginning of two stretches on."""
    least, most = 0, min(a1 - a0, b1 - b0)
    while least < most:
        middle = (least + most + 1) // 2
        if a[a0 + least : a0 + middle] == b[b0 + least : b0 + middle]:
            least = middle
        else:
            most = middle - 1
    return least


def suffix(a: Sequence[int], b: Sequence[int], a0: int, a1: int, b0: int, b1: int) -> int:
    """How many codes are equal back from the end of two stretches."""
    least, most = 0, min(a1 - a0, b1 - b0)
    while least < most:
        middle = (least + most + 1) // 2
        if a[a1 - middle : a1 - least] == b[b1 - middle : b1 - least]:
            least = middle
        else:
            most = middle - 1
    return least


def rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs` whose second members rise; the first ones rise already."""
    tails: list[int] = []
    holders: list[int] = []
    before = [-1] * len(pairs)
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        before[number] = holders[length - 1] if length else -1
        if length == len(tails):
            tails.append(place)
            holders.append(number)
        else:
            tails[length], holders[length] = place, number
    found = []
    at = holders[-1] if holders else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _unique(a: Sequence[Any], b: Sequence[Any], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Pairs of entries whose code occurs once in each stretch."""
    others = _once(b, b0, b1)
    return [(i, others[code]) for code, i in _once(a, a0, a1).items() if i >= 0 and others.get(code, -1) >= 0]


def _doubly(a: Sequence[int], b: Sequence[int], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Pairs of entries that occur once in each stretch together with the one behind them."""
    first, second = (list(pairwise(codes)) for codes in (a[a0:a1], b[b0:b1]))
    return [(a0 + i, b0 + j) for i, j in _unique(first, second, 0, len(first), 0, len(second))]


def _once(codes: Sequence[Any], start: int, end: int) -> dict[Any, int]:
    """Code -> its place, -1 for a code that occurs more than once; in order of first occurrence."""
    places: dict[Any, int] = {}
    for place in range(start, end):
        code = codes[place]
        places[code] = -1 if code in places else place
    return places


def _in_turn(a: Sequence[int], b: Sequence[int], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Pairs of equal codes, the first with the first, the second with the second."""
    waiting: dict[int, list[int]] = {}
    for place in range(b1 - 1, b0 - 1, -1):
        waiting.setdefault(b[place], []).append(place)
    return [(i, places.pop()) for i in range(a0, a1) if (places := waiting.get(a[i]))]


def _joined(runs: Sequence[Run]) -> Iterator[Run]:
    """Runs that go on from each other as one."""
    last: Run | None = None
    for run in runs:
        if last and (last.a + last.length, last.b + last.length) == run[:2]:
            last = last._replace(length=last.length + run.length)
        else:
            if last:
                yield last
            last = run
    if last:
        yield last
