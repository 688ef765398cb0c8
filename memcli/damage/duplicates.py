"""The same record twice, and one id for two different records."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from itertools import islice
from math import isnan
from operator import lt
from typing import NamedTuple

from memcli.damage.entries import is_alone, is_message, member_place, removal, repeated
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import NUMBER, TEXT

SCOPE = "rows"
CLASSES = (
    Class(
        "duplicate-record",
        "the same record twice",
        "warning",
        "safe",
        looks="Two rows are equal in all fields, and they have an id or a timestamp: the same text said twice is not meant.",
        does="Takes the later one away.",
        lost="Nothing: the first one stays as it is.",
    ),
    Class(
        "duplicate-id",
        "one id for two different records",
        "warning",
        "flag",
        looks="Two rows have the same id and say different things: a counter was set back.",
        does="Nothing by itself; --renumber gives the later rows the numbers that follow, where ids are numbers.",
        lost="Nothing but the old numbers.",
        flag="--renumber",
    ),
)
RECORD, IDENTITY = CLASSES
ID = "id"
"""The member that holds a number that can be given anew."""
KEPT = 8
"""So many different records with one id are compared with each other."""
PARSED = 20_000
"""So many pairs whose bytes differ are compared member by member."""


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """A finding for each repeated record, and one for all ids that are given twice."""
    different = []
    for entry, first, same in _repeats(snapshot):
        if same:
            message = f"Row {snapshot.facts.row(entry)} repeats row {snapshot.facts.row(first)} in every field."
            yield RECORD.finding(snapshot.path, message, data={"entry": entry}, **snapshot.place(entry))
        elif snapshot.kind != "journal":  # there the id is the cursor, which has classes of its own
            different.append((entry, first))
    if different:
        entry, first = different[0]
        numbers = bool(snapshot.rules.numbered and snapshot.facts.flags[entry] & NUMBER)
        message = (
            f"{count(len(different), 'row')} {'has' if len(different) == 1 else 'have'} an id that an earlier, different row "
            f"has; the first is row {snapshot.facts.row(entry)}, with the id of row {snapshot.facts.row(first)}."
        )
        repair, flag = ("flag", IDENTITY.flag) if numbers else ("report", "")
        data = {"entry": entry, "rows": len(different)}
        yield IDENTITY.finding(snapshot.path, message, repair=repair, flag=flag, data=data, **snapshot.place(entry))


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the repeated record away, or give the later rows new numbers."""
    entry = finding.data["entry"]
    if finding.code == RECORD.code:
        return [removal(snapshot, entry, finding.code)] if is_alone(snapshot, entry) else []
    return list(_renumbered(snapshot, entry)) if finding.repair == "flag" else []


class _Repeat(NamedTuple):
    entry: int
    first: int
    same: bool


def _repeats(snapshot: RowsSnapshot) -> Iterator[_Repeat]:
    """The entries that have the id, or without an id the fields, of one before; `same`: equal in all fields."""
    facts = snapshot.facts
    flags, ids, prints, times = facts.flags, facts.ids, facts.prints, facts.times
    kinds = set(flags)
    if all(kind & NUMBER for kind in kinds) and all(map(lt, ids, islice(ids, 1, None))):
        return
    named = NUMBER | TEXT
    if not any(kind & named for kind in kinds) and all(map(lt, times, islice(times, 1, None))):
        return  # equal rows have equal times
    keys = ids if all(kind & named for kind in kinds) else array("q", map(_key, flags, ids, prints, times))
    twice = repeated(keys)
    twice.discard(NO_KEY)
    if not twice:
        return
    compare = _Comparison(snapshot)
    holders: dict[int, list[tuple[int, int]]] = {}
    for entry, key in enumerate(keys):
        if key not in twice or not is_message(flags[entry]):
            continue
        before = holders.setdefault(key, [])
        digest = compare.digest(entry)
        first = next((one for one, other in before if compare.is_same(one, other, entry, digest)), None)
        if first is not None:
            yield _Repeat(entry, first, True)
            continue
        if before and flags[entry] & named and flags[before[0][0]] & named:
            yield _Repeat(entry, before[0][0], False)
        if len(before) < KEPT:
            before.append((entry, digest))


NO_KEY = -(1 << 63)


def _key(flag: int, identity: int, fingerprint: int, time: float) -> int:
    if not is_message(flag):
        return NO_KEY
    if flag & (NUMBER | TEXT):
        return identity
    return NO_KEY if isnan(time) else hash((fingerprint, time))


class _Comparison:
    """Whether two records are equal in all fields. Each line is read once or twice, records are decoded PARSED times."""

    def __init__(self, snapshot: RowsSnapshot) -> None:
        self._snapshot = snapshot
        self._left = PARSED

    def digest(self, entry: int) -> int:
        """A number that equal lines share; of an entry that shares its line, one of its own."""
        raw = self._snapshot.raw(entry)
        return hash(raw) if is_alone(self._snapshot, entry) else -entry - 1

    def is_same(self, one: int, digest: int, other: int, digest_of_other: int) -> bool:
        """Whether two entries with these digests are equal."""
        if digest == digest_of_other and self._snapshot.raw(one) == self._snapshot.raw(other):
            return True
        self._left -= 1
        return self._left >= 0 and self._text(one) == self._text(other)

    def _text(self, entry: int) -> str:
        """The record with its members in order: 1, 1.0 and true are three different values."""
        value = self._snapshot.value(entry)
        return f"entry {entry}" if value is None else json.dumps(value, sort_keys=True)


def _renumbered(snapshot: RowsSnapshot, start: int) -> Iterator[Edit | Action]:
    """The edits that let the numbers rise from the entry `start` on; what is larger already stays."""
    facts = snapshot.facts
    gone = {entry for entry, _, same in _repeats(snapshot) if same}
    chosen = [
        entry
        for entry in range(len(facts))
        if is_message(facts.flags[entry]) and facts.flags[entry] & NUMBER and entry not in gone
    ]
    last = max((facts.ids[entry] for entry in chosen if entry < start), default=0)
    edits = []
    for entry in chosen:
        if entry < start:
            continue
        number = facts.ids[entry]
        if number <= last:
            number = last + 1
            place = member_place(snapshot.raw(entry), ID) if is_alone(snapshot, entry) else None
            if place is None:
                return
            edits.append(Edit(facts.offsets[entry] + place[0], place[1] - place[0], b"%d" % number, IDENTITY.code))
        last = number
    yield from edits
