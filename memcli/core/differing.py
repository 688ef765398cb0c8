"""What two compared copies differ in, one thing at a time and in the order of the rows; each row is read when it is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.core.comparing import ALONE, CONFLICT, RENUMBERED, REWRITTEN, SAME, Comparison, Member, differing
from memcli.core.sides import Place, Side
from memcli.model import Record
from memcli.storage.facts import UNREAD


class Difference(NamedTuple):
    """One thing. `what` is "header", "only-a", "only-b", "moved", "renumbered", "conflict", "unreadable-a" or "unreadable-b";
    `a` and `b` say where, `record` is the row (of A where both have one). `members` are those that differ; `flaw` is the
    damage code of a line that cannot be read."""

    what: str
    a: Place | None = None
    b: Place | None = None
    record: Record | None = None
    members: Sequence[Member] = ()
    flaw: str = ""


class Tally(NamedTuple):
    """Two copies in numbers of rows. `prefix` rows are the same from the beginning on, `tail_a` and `tail_b` come behind the
    last row that both have in the same order; `rewritten` hold the same and are written otherwise (part of `same`)."""

    same: int
    prefix: int
    only_a: int
    only_b: int
    tail_a: int
    tail_b: int
    moved: int
    renumbered: int
    conflicts: int
    rewritten: int
    unreadable_a: int
    unreadable_b: int
    header: int

    @property
    def differ(self) -> bool:
        """Whether the copies differ in anything but the way rows are written."""
        return bool(self.only_a or self.only_b or self.moved or self.renumbered or self.conflicts or self.header)

    @property
    def shape(self) -> str:
        """How they stand to each other: "same", "header", "a-goes-on", "b-goes-on", "fork" or "mixed"."""
        if not self.differ:
            return "same"
        if self.conflicts or self.moved or self.renumbered:
            return "mixed"
        if not self.only_a and not self.only_b:
            return "header"
        if (self.only_a, self.only_b) != (self.tail_a, self.tail_b):
            return "mixed"
        return "fork" if self.only_a and self.only_b else "a-goes-on" if self.only_a else "b-goes-on"


def tally(made: Comparison) -> Tally:
    """The numbers."""
    count = [made.kinds.count(kind) for kind in range(CONFLICT + 1)]
    tails = made.tails
    return Tally(
        same=count[SAME] + count[REWRITTEN],
        prefix=made.prefix,
        only_a=count[ALONE],
        only_b=sum(1 for _ in made.only_b()),
        tail_a=tails[0],
        tail_b=tails[1],
        moved=sum(1 for _ in made.moved()),
        renumbered=count[RENUMBERED],
        conflicts=count[CONFLICT],
        rewritten=count[REWRITTEN],
        unreadable_a=len(made.a.unread),
        unreadable_b=len(made.b.unread),
        header=len(differing(made.a.header, made.b.header)),
    )


def differences(made: Comparison) -> Iterator[Difference]:
    """Everything that differs: the header, then the rows in their order, then the lines of each side that cannot be read."""
    members = differing(made.a.header, made.b.header)
    if members:
        yield Difference("header", members=members)
    for i, j in walk(made):
        found = _row(made, i, j)
        if found:
            yield found
    for what, side in (("unreadable-a", made.a), ("unreadable-b", made.b)):
        for one in side.unread:
            yield _on(what, Place(one.row, one.line, one.offset, one.length))._replace(flaw=one.flaw)


def conflict(made: Comparison, i: int, j: int) -> Difference:
    """The two versions of a row."""
    members = differing(made.a.value(i), made.b.value(j))
    return Difference("conflict", made.a.place(i), made.b.place(j), made.a.record(i), members)


def walk(made: Comparison) -> Iterator[tuple[int, int]]:
    """All entries in the order of both, as (entry of A, entry of B); -1 where one side has none. A pair that stands in
    another order is told at its place in A."""
    j = 0
    for i in range(len(made.a)):
        partner = made.partners[i]
        if made.chained[i]:
            yield from ((-1, k) for k in range(j, partner) if made.back[k] < 0)
            j = partner + 1
        yield i, partner
    yield from ((-1, k) for k in range(j, len(made.b)) if made.back[k] < 0)


def _row(made: Comparison, i: int, j: int) -> Difference | None:
    a, b = made.a, made.b
    if i < 0 or j < 0:
        side, entry = (b, j) if i < 0 else (a, i)
        if side.facts.flags[entry] & UNREAD and not side.is_check(entry):
            return None  # it is told with those that cannot be read
        return _only(side, entry, "only-b" if i < 0 else "only-a")
    kind = made.kinds[i]
    if kind == CONFLICT:
        return conflict(made, i, j)
    if kind in (SAME, REWRITTEN) and made.chained[i]:
        return None
    members = differing(a.value(i), b.value(j)) if kind == RENUMBERED else []
    what = "renumbered" if kind == RENUMBERED else "moved"
    return Difference(what, a.place(i), b.place(j), a.record(i), members)


def _only(side: Side, entry: int, what: str) -> Difference:
    return _on(what, side.place(entry))._replace(record=side.record(entry))


def _on(what: str, place: Place) -> Difference:
    """Something that is on the side that its name ends with."""
    return Difference(what, a=place) if what.endswith("-a") else Difference(what, b=place)
