"""Moving numbers that count rows along with the rows.

An offset in a header was written when the file was whole: it counts the messages that there were, those that are cut or
glued by now among them. A cursor that counts records was written by a reader that passes over what it cannot read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memcli.storage.facts import HEADER, UNREAD, Facts

Move = Callable[[int], int]
"""From what a number was to what it is to be."""


class Change(NamedTuple):
    """What a row counted and counts now: `messages` that were written on it, `records` that a strict reader finds.

    `added` tells that the row stays as it is and that new ones come behind it.
    """

    row: int
    messages: tuple[int, int]
    records: tuple[int, int]
    added: int = 0


def of_messages(facts: Facts, changes: Iterable[Change]) -> Move:
    """How an offset in the header moves."""
    counts = [(0 if flag & HEADER else 1) for flag in _by_row(facts)]
    return _move(counts, [(change.row, *change.messages, change.added) for change in changes])


def of_records(facts: Facts, changes: Iterable[Change]) -> Move:
    """How a cursor moves that counts the records which a reader finds that passes over everything else."""
    glued = {facts.row(entry) for entry in facts.shared}
    counts = [0 if flag & UNREAD or row in glued else 1 for row, flag in enumerate(_by_row(facts), 1)]
    return _move(counts, [(change.row, *change.records, change.added) for change in changes])


def together(moves: Sequence[Move]) -> Move:
    """One move after the other."""

    def move(number: int) -> int:
        for one in moves:
            number = one(number)
        return number

    return move


def _by_row(facts: Facts) -> list[int]:
    """The flags of each row's first record."""
    shared = set(facts.shared)
    return [flag for entry, flag in enumerate(facts.flags) if entry not in shared]


def _move(counts: Sequence[int], changes: Iterable[tuple[int, int, int, int]]) -> Move:
    changed: dict[int, tuple[int, int]] = {}
    behind: dict[int, int] = {}
    for row, before, after, added in changes:
        if added:
            behind[row] = behind.get(row, 0) + added
        else:
            changed[row] = (before, after)

    def move(number: int) -> int:
        seen = 0
        moved = behind.get(0, 0) if number > 0 else 0
        for row, count in enumerate(counts, 1):
            if seen >= number:
                return moved
            before, after = changed.get(row, (count, count))
            if seen + before > number:  # the number points into the row: what was cut is what comes first on it
                return moved + max(0, number - seen - max(0, before - after))
            seen += before
            moved += after + behind.get(row, 0)  # an answer stays with its call
        return moved if seen >= number else number  # beyond the end: a class of its own tells of that

    return move
