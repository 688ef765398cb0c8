"""What the classes of rows share: edits of whole rows and of single members, and values that occur more than once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from memcli.damage.framework import Class, RowsSnapshot
from memcli.model import Edit, Finding
from memcli.storage.facts import HEADER, SHARED, UNREAD
from memcli.storage.members import member_place as member_place

FEW = 200_000
"""So many numbers are kept in one set: more of them would cost 70 bytes each."""
SLOTS = 25
"""At most so many bits tell the slots apart in which numbers are counted: 32 MiB."""


def is_alone(snapshot: RowsSnapshot, entry: int) -> bool:
    """Whether an entry stands on a whole line of its own: else the classes of lines come first."""
    flags = snapshot.facts.flags
    shared = flags[entry] | (flags[entry + 1] if entry + 1 < len(flags) else 0)
    return not shared & SHARED and snapshot.raw(entry).endswith(b"\n")


def is_message(flag: int) -> bool:
    """Whether the flag of an entry is that of a record that was read and is no header."""
    return not flag & (UNREAD | HEADER)


def beyond(snapshot: RowsSnapshot, one: Class, number: int) -> Iterator[Finding]:
    """The finding that stands for so many more of a class than are listed; none for none."""
    if number > 0:
        yield one.finding(snapshot.path, "", data={"more": number})


def removal(snapshot: RowsSnapshot, entry: int, code: str) -> Edit:
    """The edit that takes the row of an entry away with its newline."""
    offset, length = snapshot.span(entry)
    return Edit(offset, length, b"", code, rows=-1, row=snapshot.facts.row(entry), records=-1)


def repeated(values: Sequence[int]) -> set[int]:
    """The numbers that occur more than once. Memory: at most 32 MiB, and what the numbers found take."""
    rounds = 0
    while len(values) > FEW and rounds < 2:
        values = _crowded(values, 20 * rounds)
        rounds += 1
    seen: set[int] = set()
    twice: set[int] = set()
    for value in values:
        if value in seen:
            twice.add(value)
        else:
            seen.add(value)
    return twice


def _crowded(values: Sequence[int], shift: int) -> array[int]:
    """The numbers that share their slot with another one: all that occur twice, and some that do not."""
    mask = (1 << min(SLOTS, (4 * len(values)).bit_length())) - 1
    slots = bytearray(mask + 1)
    for value in values:
        slot = (value >> shift) & mask
        if slots[slot] < 2:
            slots[slot] += 1
    return array("q", (value for value in values if slots[(value >> shift) & mask] > 1))
