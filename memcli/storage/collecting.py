"""Filling Facts batch by batch, and joining those of two halves of a file."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from math import nan
from typing import Any
from zlib import crc32

from memcli.storage.facts import BAD_ID, HEADER, NUMBER, ODD, ROLE, SHARED, TEXT, UNREAD, Columns, Facts

Seconds = Callable[[Sequence[Any]], Sequence[float]]
"""Stored times to seconds since the epoch, NaN for what is no time."""
PIECE = 1 << 20
"""Bytes of one array that are sent at once from process to process."""


class Collector:
    """Adds the records of one file to its Facts, in order."""

    def __init__(self, seconds: Seconds) -> None:
        self.facts = Facts()
        self._seconds = seconds
        self._codes: dict[int, _Codes] = {base: _Codes(self.facts.roles, base) for base in (NUMBER, TEXT, 0)}
        self._owner: str | None = None
        self._owner_codes: dict[str | None, int] = {None: 0}

    def batch(self, columns: Columns, offsets: Sequence[int], lines: Sequence[bytes]) -> None:
        """Add records that are each alone on their line."""
        facts = self.facts
        entry = len(facts.offsets)
        facts.offsets.extend(offsets)
        facts.times.extend(self._seconds(columns.times))
        base = self._ids(columns.ids)
        if base < 0:
            self._mixed_ids(columns, lines)
        else:
            codes = self._codes[base]
            try:
                facts.flags.extend(map(codes.__getitem__, columns.roles))
            except TypeError:  # a role that is a list or an object
                done = len(facts.flags) - entry
                facts.flags.extend(codes[_word(role)] for role in columns.roles[done:])
            if base:
                facts.prints.frombytes(bytes(4 * len(offsets)))
            else:
                facts.prints.extend(map(crc32, lines))
        for index in columns.odd:
            facts.flags[entry + index] |= ODD
        for index in columns.headers:
            facts.flags[entry + index] |= HEADER
        if columns.calls:
            facts.call_entries.extend(entry + index for index, _, _ in columns.calls)
            facts.call_ids.extend((hash(name) & ~1) | answer for _, answer, name in columns.calls)
        if columns.owners is not None:
            self._owners(columns.owners, entry)
        if columns.parents is not None:
            self._parents(columns.parents, entry)

    def several(self, columns: Columns, offset: int, line: bytes) -> None:
        """Add records that share one line."""
        entry = len(self.facts.offsets)
        self.batch(columns, [offset] * len(columns.ids), [line] * len(columns.ids))
        for shared in range(entry + 1, len(self.facts.offsets)):
            self.facts.flags[shared] |= SHARED
            self.facts.shared.append(shared)

    def unread(self, offset: int) -> None:
        """Add a row that gives no record."""
        facts = self.facts
        facts.offsets.append(offset)
        facts.ids.append(0)
        facts.times.append(nan)
        facts.flags.append(UNREAD)
        facts.prints.append(0)

    def _ids(self, ids: Sequence[Any]) -> int:
        """Add ids that are all of one kind; that kind's bit, -1 when they must be looked at one by one."""
        kinds = set(map(type, ids))
        facts = self.facts
        if kinds == {int}:
            done = len(facts.ids)
            try:
                facts.ids.extend(ids)
            except OverflowError:
                del facts.ids[done:]
                return -1
            return NUMBER
        if kinds == {str} and "" not in ids:
            facts.ids.extend(map(hash, ids))
            return TEXT
        if kinds == {type(None)}:
            facts.ids.frombytes(bytes(8 * len(ids)))
            return 0
        return -1

    def _mixed_ids(self, columns: Columns, lines: Sequence[bytes]) -> None:
        facts = self.facts
        for identity, role, line in zip(columns.ids, columns.roles, lines, strict=True):
            flag = BAD_ID
            number = 0
            if type(identity) is int:
                if -(1 << 63) <= identity < 1 << 63:
                    flag, number = NUMBER, identity
                else:
                    flag, number = TEXT, hash(identity)
            elif isinstance(identity, str) and identity:
                flag, number = TEXT, hash(identity)
            elif identity is None:
                flag = 0
            facts.ids.append(number)
            facts.flags.append(self._codes[0][_word(role)] | flag)
            facts.prints.append(crc32(line) if flag in (0, BAD_ID) else 0)

    def _owners(self, owners: Sequence[Any], entry: int) -> None:
        try:
            if set(owners) == {self._owner}:
                return
        except TypeError:
            pass
        facts = self.facts
        for index, owner in enumerate(owners):
            owner = owner if isinstance(owner, str) else None
            if owner == self._owner:
                continue
            self._owner = owner
            if owner not in self._owner_codes:
                if len(facts.owners) >= OWNERS:
                    owner = OTHER
                if owner not in self._owner_codes:
                    self._owner_codes[owner] = len(facts.owners)
                    facts.owners.append(owner)
            facts.owner_entries.append(entry + index)
            facts.owner_codes.append(self._owner_codes[owner])

    def _parents(self, parents: Sequence[Any], entry: int) -> None:
        facts = self.facts
        before = facts.ids[entry - 1] if entry and facts.flags[entry - 1] & TEXT else 0
        hashes = [hash(parent) if isinstance(parent, str) and parent else 0 for parent in parents]
        own = facts.ids[entry:]
        differs = [parent != previous for parent, previous in zip(hashes, [before, *own[:-1]], strict=True)]
        facts.link_entries.extend(compress(range(entry, entry + len(hashes)), differs))
        facts.link_parents.extend(compress(hashes, differs))


OTHER = "\0other"
OWNERS = 4096
"""So many session keys are told apart in one file; more of them are all OTHER."""


class _Codes(dict[Any, int]):
    """Role -> flag; a new role gets the next code, the last one stands for all that are too many."""

    def __init__(self, roles: list[str], base: int) -> None:
        super().__init__()
        self.roles, self.base = roles, base

    def __missing__(self, role: Any) -> int:
        word = _word(role)
        if word not in self.roles:
            if len(self.roles) > ROLE:
                return ROLE | self.base
            self.roles.append(word)
        code = self[role] = self.roles.index(word) | self.base
        return code


def _word(role: Any) -> str:
    return role if isinstance(role, str) else ""


def frames(facts: Facts) -> Iterator[tuple[str, Any]]:
    """The facts in pieces of bounded size, for a Joiner in another process; they are let go of as they are given."""
    yield "roles", facts.roles
    yield "owners", facts.owners
    for name in ARRAYS:
        values = getattr(facts, name)
        setattr(facts, name, array(values.typecode))
        step = PIECE // values.itemsize
        for start in range(0, len(values), step):
            yield name, values[start : start + step].tobytes()


class Joiner:
    """Adds the frames of the second half of a file to the facts of the first."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._entries = len(facts.offsets)
        self._roles: list[int] = []
        self._owners: list[int] = []

    def take(self, name: str, values: Any) -> None:
        """One frame, in the order in which `frames` gave them."""
        facts = self.facts
        if name == "roles":
            codes = _Codes(facts.roles, 0)
            self._roles = [codes[role] for role in values]
            return
        if name == "owners":
            for owner in values:
                if owner not in facts.owners and len(facts.owners) < 2 * OWNERS:
                    facts.owners.append(owner)
                self._owners.append(facts.owners.index(owner) if owner in facts.owners else 0)
            return
        mine = getattr(facts, name)
        piece = array(mine.typecode)
        piece.frombytes(values)
        if name == "flags":
            roles = self._roles
            if roles != list(range(len(roles))):
                piece = array("H", [flag & ~ROLE | roles[flag & ROLE] for flag in piece])
        elif name == "owner_codes":
            piece = array("H", [self._owners[code] for code in piece])
        elif name in ("call_entries", "link_entries", "owner_entries", "shared"):
            piece = array("I", [entry + self._entries for entry in piece])
        mine.extend(piece)


ARRAYS = (
    *("offsets", "ids", "times", "flags", "prints", "call_entries", "call_ids"),
    *("link_entries", "link_parents", "owner_entries", "owner_codes", "shared"),
)
