"""Two copies of a chat compared: which rows are the same, in which order, and which are two versions of one row.

Rows are the same when they hold the same, however it is written. What is left is paired by identity, which is the
format's: the id, or time, role and text where rows have none. Numbers can be given anew (a copy that came back from a
mirror counts from 1), so time, role and text also tell a numbered row under another number.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

from memcli.core import aligning
from memcli.core.sides import Side
from memcli.storage.facts import HEADER, NUMBER, TEXT, UNREAD

ALONE, SAME, REWRITTEN, RENUMBERED, CONFLICT = range(5)
"""What a row is to its partner: it has none; equal byte for byte; equal in all that it holds; equal but for its number; of
the same identity and different content."""
ID = "id"
"""The member that holds a number that can be given anew."""


class Comparison:
    """Two sides, and for each entry of A its partner in B (-1: none), what they are to each other (`kinds`), and whether
    they stand in the same order as the others (`chained`); `back` is the partner in A of each entry of B.

    `prefix` is how many entries are the same from the beginning on.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.partners = array("q", [-1]) * len(a)
        self.back = array("q", [-1]) * len(b)
        self.kinds = bytearray(len(a))
        self.chained = bytearray(len(a))
        self.prefix = 0

    @property
    def tails(self) -> tuple[int, int]:
        """How many entries each side has behind the last pair that both have in the same order."""
        last = self.chained.rfind(1)
        return len(self.a) - last - 1, len(self.b) - (self.partners[last] if last >= 0 else -1) - 1

    def pairs(self, *kinds: int) -> Iterator[tuple[int, int]]:
        """The pairs of these kinds, in the order of A."""
        wanted = frozenset(kinds)
        return ((entry, self.partners[entry]) for entry, kind in enumerate(self.kinds) if kind in wanted)

    def moved(self) -> Iterator[tuple[int, int]]:
        """The pairs of the same row that stand in another order, in the order of A."""
        return (pair for pair in self.pairs(SAME, REWRITTEN, RENUMBERED) if not self.chained[pair[0]])

    def only_a(self) -> Iterator[int]:
        """The entries that only A has."""
        return (entry for entry, kind in enumerate(self.kinds) if kind == ALONE)

    def only_b(self) -> Iterator[int]:
        """The entries that only B has."""
        return (entry for entry, partner in enumerate(self.back) if partner < 0)


class Member(NamedTuple):
    """A member in which two objects differ; `...` where one has none of the name."""

    name: str
    a: Any
    b: Any


def compare(a: Side, b: Side) -> Comparison:
    """Compare two sides of one format."""
    made = Comparison(a, b)
    codes_a, codes_b = _codes(a, b)
    for run in aligning.chain(codes_a, codes_b):
        for step in range(run.length):
            _pair(made, run.a + step, run.b + step, SAME, chained=1)
    _pair_equal(made, codes_a, codes_b)
    _pair_left(made)
    while made.prefix < len(a) and made.partners[made.prefix] == made.prefix and made.kinds[made.prefix] <= REWRITTEN:
        made.prefix += 1
    _chain_all(made)
    return made


def differing(one: Any, other: Any) -> list[Member]:
    """The members in which two records differ, in the order of the first, then of the second."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return [] if canonical(one) == canonical(other) else [Member("", one, other)]
    found = []
    for name in [*one, *(name for name in other if name not in one)]:
        mine, its = one.get(name, ...), other.get(name, ...)
        if mine is ... or its is ... or canonical(mine) != canonical(its):
            found.append(Member(name, mine, its))
    return found


def canonical(value: Any) -> bytes:
    """A JSON value as bytes that are equal for equal values: members in order, 1, 1.0 and true told apart."""
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):  # half a surrogate pair, an integer beyond 64 bits, deeper than orjson goes
        import json

        try:
            return json.dumps(value, sort_keys=True).encode()
        except RecursionError:
            return os.urandom(16)  # equal to nothing


def without(value: Any, name: str) -> Any:
    """An object without one of its members."""
    return {key: member for key, member in value.items() if key != name} if isinstance(value, dict) else value


def _codes(a: Side, b: Side) -> tuple[Sequence[int], Sequence[int]]:
    """A number for each entry, equal where the rows are: the hash of the line, or of what it holds where no line of the
    other side is written like it."""
    codes = array("q", a.prints), array("q", b.prints)
    start = aligning.prefix(a.prints, b.prints, 0, len(a), 0, len(b))
    stop = aligning.suffix(a.prints, b.prints, start, len(a), start, len(b))
    stretches = [range(start, len(side) - stop) for side in (a, b)]
    if all(stretches):
        shared = set(a.prints[start : len(a) - stop]) & set(b.prints[start : len(b) - stop])
        for side, found, stretch in zip((a, b), codes, stretches, strict=True):
            for entry in stretch:
                if found[entry] not in shared and not side.facts.flags[entry] & UNREAD:
                    found[entry] = hash(canonical(side.value(entry)))
    return codes


def _pair(made: Comparison, i: int, j: int, kind: int, *, chained: int = 0) -> None:
    if kind == SAME and made.a.prints[i] != made.b.prints[j]:
        kind = REWRITTEN
    made.partners[i], made.back[j] = j, i
    made.kinds[i], made.chained[i] = kind, chained


def _pair_equal(made: Comparison, codes_a: Sequence[int], codes_b: Sequence[int]) -> None:
    """Pair equal rows that stand elsewhere."""
    waiting = _by_key((entry, codes_b[entry]) for entry in made.only_b())
    for entry in list(made.only_a()):
        if places := waiting.get(codes_a[entry]):
            _pair(made, entry, places.pop(), SAME)


def _pair_left(made: Comparison) -> None:
    """Pair what is left by identity: by time, role and text first, then by id."""
    sides = [
        [(entry, _Identity(side, entry)) for entry in entries if not side.facts.flags[entry] & (UNREAD | HEADER)]
        for side, entries in ((made.a, list(made.only_a())), (made.b, list(made.only_b())))
    ]
    if not all(sides):
        return
    for way in ("body", "exact", "moment", "key"):
        mine, its = (
            [(e, one) for e, one in side if (made.partners, made.back)[n][e] < 0] for n, side in enumerate(sides)
        )
        waiting = _by_key((entry, key) for entry, one in its if (key := getattr(one, way)) is not None)
        bodies = dict(its)
        for entry, one in mine:
            key = getattr(one, way)
            if key is not None and (places := waiting.get(key)):
                other = places.pop()
                kind = RENUMBERED if one.body is not None and one.body == bodies[other].body else CONFLICT
                _pair(made, entry, other, kind)


class _Identity:
    """What a row is known by: `key` its id, `moment` its time, role and text, `exact` both, `body` all that it holds but its
    number; None where that says nothing in its format."""

    def __init__(self, side: Side, entry: int) -> None:
        flag, time = side.facts.flags[entry], side.facts.times[entry]
        rules = side.rules.ROWS
        named = flag & (NUMBER | TEXT)
        self.key = (named, side.facts.ids[entry]) if named else None
        self.moment: int | None = None
        self.exact: tuple[Any, int] | None = None
        self.body: int | None = None
        if isnan(time) or not rules.timed or (named and not rules.numbered):
            return
        value = side.value(entry)
        record = side.form.records.record(value)
        self.moment = hash((round(time, 3), record.role, record.content, record.answers))
        if flag & NUMBER:
            self.exact = (self.key, self.moment)
            self.body = hash(canonical(without(value, ID)))


def _by_key(entries: Iterable[tuple[int, Any]]) -> dict[Any, list[int]]:
    """Key -> entries, the first one last."""
    found: dict[Any, list[int]] = {}
    for entry, key in entries:
        found.setdefault(key, []).append(entry)
    for places in found.values():
        places.reverse()
    return found


def _chain_all(made: Comparison) -> None:
    """Chain as many pairs as can be, those that are not equal too: what most rows say of the order is the order."""
    start = made.prefix
    made.chained[:start] = b"\1" * start
    pairs = [(i, made.partners[i]) for i in range(start, len(made.a)) if made.partners[i] >= 0]
    if all(made.chained[i] for i, _ in pairs):
        return
    made.chained[start:] = bytes(len(made.a) - start)
    for i, _ in aligning.rising(pairs):
        made.chained[i] = 1
