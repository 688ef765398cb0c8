"""Which rows of B go to A, and what stands in their way: versions of one row, numbers that are taken, rows that repeat one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import NamedTuple

from memcli.core.comparing import CONFLICT, Comparison, canonical
from memcli.core.sides import Side
from memcli.damage import module_of
from memcli.storage.decode import decode
from memcli.storage.facts import HEADER, NUMBER, TEXT, UNREAD

GLUED = "glued-lines"
"""Such a line is whole records, one behind the other."""


class Wanted(NamedTuple):
    """Entries of B by what becomes of them (rising). `added` go to A, `repeated` hold what a row holds that is there already,
    `damaged` stand on lines that are not copied.

    `conflicts` are pairs (A, B) of one identity and different content, `clashes` pairs where B's row is added and has the
    id of a row of A that is another one.
    """

    added: list[int]
    repeated: list[int]
    damaged: list[int]
    conflicts: list[tuple[int, int]]
    clashes: list[tuple[int, int]]


def wanted(made: Comparison) -> Wanted:
    """Sort out the rows of B."""
    added: list[int] = []
    repeated: list[int] = []
    damaged: list[int] = []
    clashes: list[tuple[int, int]] = []
    own = [entry for entry in made.only_b() if not made.b.facts.flags[entry] & HEADER]
    own = [entry for entry in own if not made.b.is_check(entry)]
    known = _known(made, own)
    seen: set[bytes] = set()
    conflicts = [pair for pair in made.pairs(CONFLICT) if is_whole(made.b, pair[1])]
    for entry in own:
        if not is_whole(made.b, entry):
            damaged.append(entry)
            continue
        key = _key(made.b, entry)
        if key is not None:
            value = canonical(made.b.value(entry))
            holders = known.get(key, [])
            if value in seen or any(canonical(made.a.value(one)) == value for one in holders):
                repeated.append(entry)
                continue
            seen.add(value)
            if holders and key[0]:
                clashes.append((holders[0], entry))
        added.append(entry)
    return Wanted(added, repeated, damaged, conflicts, clashes)


def is_whole(side: Side, entry: int) -> bool:
    """Whether a row can be copied as it is: no class of damage calls its line an error."""
    if side.facts.flags[entry] & UNREAD:
        return False
    flaw = side.flaws.get(entry, "")
    if flaw == GLUED:
        try:
            flaw = decode(side.text(entry)).flaw
        except (ValueError, RecursionError):
            return False
    return not flaw or not _is_error(flaw)


def broken_lines(side: Side) -> Iterator[int]:
    """The entries whose lines are not copied when a whole file is: those that give no record, or not to every reader."""
    return (
        entry
        for entry, flag in enumerate(side.facts.flags)
        if (flag & UNREAD and not side.is_check(entry))
        or (entry in side.flaws and side.flaws[entry] != GLUED and _is_error(side.flaws[entry]))
    )


def _is_error(flaw: str) -> bool:
    try:
        return any(one.code == flaw and one.severity == "error" for one in module_of(flaw).CLASSES)
    except KeyError:
        return True


def _key(side: Side, entry: int) -> tuple[int, float] | None:
    """What a row is looked up by to find one that holds the same: its id, else its time; None when it has neither."""
    named = side.facts.flags[entry] & (NUMBER | TEXT)
    if named:
        return named, side.facts.ids[entry]
    time = side.facts.times[entry]
    return None if isnan(time) else (0, time)


def _known(made: Comparison, entries: Sequence[int]) -> dict[tuple[int, float], list[int]]:
    """The entries of A by key, for the keys of these entries of B."""
    keys = {_key(made.b, entry) for entry in entries}
    found: dict[tuple[int, float], list[int]] = {}
    if keys:
        for entry in range(len(made.a)):
            key = _key(made.a, entry)
            if key is not None and key in keys:
                found.setdefault(key, []).append(entry)
    return found
