"""The bytes that merging comes to: those of A, with rows of B put in; or those of B, where there is no A yet."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import headings, moving
from memcli.core.comparing import CONFLICT, Comparison, Member
from memcli.core.moving import Move
from memcli.core.ordering import Insertion, insertions
from memcli.core.sides import Side
from memcli.core.splicing import Splice
from memcli.core.uniting import Wanted, broken_lines
from memcli.damage.entries import is_message


class Assembled(NamedTuple):
    """What comes out. `changed` are members of the header, `added` and `replaced` rows, `left_out` lines of B that are not
    copied, `notes` sentences. `move` says how numbers that count rows of A move, `gone` are the stretches of A, as (offset,
    length), whose lines are not in it any more."""

    splice: Splice
    changed: Sequence[Member] = ()
    added: int = 0
    replaced: int = 0
    left_out: int = 0
    notes: Sequence[str] = ()
    move: Move = int
    gone: Sequence[tuple[int, int]] = ()


def into(made: Comparison, found: Wanted, decision: str, tz: str = "") -> Assembled:
    """A with the rows of B. `decision` tells what becomes of conflicts: "a", "b" or "both" ("": they are left out)."""
    both = decision == "both"
    added = sorted([*found.added, *(j for _, j in found.conflicts if both)])
    held = (
        [i for i, flag in enumerate(made.chained) if flag and not (both and made.kinds[i] == CONFLICT)] if added else []
    )
    places = insertions(made, added, held)
    replaced = [(i, j) for i, j in found.conflicts if decision == "b" and made.a.is_alone(i)]
    empty = filler(made.a) if added else []
    changes = [
        moving.Change(made.a.facts.row(one.behind) if one.behind >= 0 else 0, (0, 0), (0, 0), len(one.entries))
        for one in places
    ]
    changes += [moving.Change(made.a.facts.row(entry), (1, 0), (1, 0)) for entry in empty]
    move = moving.of_messages(made.a.facts, changes)
    splice = Splice()
    changed: list[Member] = []
    notes: list[str] = []
    place = 0
    heading = headings.merged(made.a, made.b, move, tz)
    if heading is not None and made.a.header_line is not None:
        line = made.a.header_line
        changed = list(heading.changed)
        splice.take(made.a, 0, line.offset)
        splice.put(heading.line)
        place = line.offset + line.length
        if not changed:
            splice, place = Splice(), 0
    elif made.a.form.header_members and made.b.header_line is not None:
        splice.put(_other_header(made))
        changed = [Member(name, ..., value) for name, value in made.b.header.items()]
        notes.append("A has no header that can be read; it gets that of B.")
    _rows(splice, made, place, places, replaced, empty)
    starts = [(made.a.facts.offsets[entry], entry) for entry in sorted([*empty, *(i for i, _ in replaced)])]
    gone = [(start, made.a.end(entry) - start) for start, entry in starts]
    return Assembled(splice, changed, len(added), len(replaced), len(found.damaged), notes, move, gone)


def alone(b: Side) -> Assembled:
    """B as a new file: byte for byte, without the lines that cannot be read."""
    splice = Splice()
    changed: list[Member] = []
    entries = list(broken_lines(b))
    broken = list(dict.fromkeys(b.facts.offsets[entry] for entry in entries))
    move = moving.of_messages(b.facts, [moving.Change(b.facts.row(entry), (1, 0), (1, 0)) for entry in entries])
    place = 0
    line = b.header_line
    heading = headings.merged(b, b, move)
    if line is not None and heading is not None and heading.changed:
        changed = list(heading.changed)
        splice.take(b, 0, line.offset)
        splice.put(heading.line)
        place = line.offset + line.length
    for offset in broken:
        splice.take(b, place, offset)
        place = _end(b, offset)
    splice.take(b, place, b.size)
    splice.end_line()
    added = sum(map(is_message, b.facts.flags)) - sum(is_message(b.facts.flags[entry]) for entry in entries)
    return Assembled(splice, changed, added, 0, len(broken), move=move)


def filler(a: Side) -> list[int]:
    """The lines of A that hold nothing but NUL, which a power loss leaves: rows of B take their place."""
    entries = [bisect_left(a.facts.offsets, one.offset) for one in a.unread]
    return [entry for entry in entries if not a.raw(entry).strip(b"\0\r\n")]


def _rows(
    splice: Splice,
    made: Comparison,
    place: int,
    places: Sequence[Insertion],
    replaced: Sequence[tuple[int, int]],
    empty: Sequence[int],
) -> None:
    """What stands behind the byte `place` of A, with rows of B put in and in the place of others, and without filler."""
    a = made.a
    steps: list[tuple[int, int, list[int]]] = [(i, 0, []) for i in empty]
    steps += [(i, 0, [j]) for i, j in replaced] + [(one.behind, 1, one.entries) for one in places]
    for entry, step, others in sorted(steps):
        if not step:
            splice.take(a, place, a.facts.offsets[entry])
            place = a.end(entry)
        else:
            end = a.end(entry) if entry >= 0 else a.facts.offsets[0] if len(a) else a.size
            splice.take(a, place, end)
            place = max(place, end)
            splice.end_line()
        for other in others:
            _copy(splice, made.b, other)
    splice.take(a, place, a.size)


def _copy(splice: Splice, side: Side, entry: int) -> None:
    """The line of an entry; of a line that it shares, only its own record."""
    if side.is_alone(entry):
        splice.take(side, side.facts.offsets[entry], side.end(entry))
        splice.end_line()
    else:
        splice.put(side.text(entry) + b"\n")


def _other_header(made: Comparison) -> bytes:
    """The header line of B for the rows of A: numbers that count rows are set back where A has rows."""
    line = made.b.header_line
    assert line is not None
    raw = line.raw or b""
    if len(made.a):
        for name in made.a.rules.ROWS.offsets:
            if name in made.b.header:
                raw = headings.with_member(raw, (name,), made.a.rules.ROWS.reset)
    return raw + b"\n"


def _end(side: Side, offset: int) -> int:
    """The byte behind the line that starts at `offset`."""
    return side.end(bisect_left(side.facts.offsets, offset))
