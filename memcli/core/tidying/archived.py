"""Summaries of the same chat that an agent appended again and again: the newest stays, with all that only an older one says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core.tidying.framework import Fix, Piece
from memcli.core.tidying.generated import Part, generated
from memcli.core.tidying.passage import FACT, HEAD, VERBATIM, Row, rows
from memcli.core.tidying.target import Target
from memcli.damage.framework import TextSnapshot
from memcli.storage.memory_rules import MemoryRules
from memcli.storage.memory_shape import Shape

KIND = "archived"
SHARE = 0.5
"""An older summary of which more facts than that are in a newer one is of the same chat."""
WORDS, WORDS_SHARE = 8, 0.8
"""Or one with so many words of which so many are in it: as the class memory-duplicates compares blocks."""
LEAST = 0.5
"""One with fewer words in common is not looked at more closely."""
GONE, MOVES, STAYS = "gone", "moves", "stays"


def fixes(snapshot: TextSnapshot, shape: Shape) -> list[Fix]:
    """One fix for each summary that others repeat, section by section.

    What an older one says and the newest says as well goes with it; what only the older one says moves into the newest, byte for
    byte and under its headings. What the newest gives another value for stays where it is, below its own date.
    """
    parts = [part for part in generated(snapshot.raw, shape) if part.block.kind == KIND]
    rules = snapshot.rules or MemoryRules()
    found = []
    for section in dict.fromkeys(part.block.section for part in parts):
        mine = [(part, rows(part.body, rules)) for part in parts if part.block.section == section]
        mine.sort(key=lambda one: (one[0].block.date, one[0].offset), reverse=True)
        while len(mine) > 1:
            newest = next((one for one in mine if any(row.kind == FACT for row in one[1])), mine[0])
            mine.remove(newest)
            fix, taken = _merged(*newest, mine)
            mine = [one for one in mine if one not in taken]
            found += [fix] if fix else []
    return sorted(found)


def _merged(
    newest: Part, lines: list[Row], others: Sequence[tuple[Part, list[Row]]]
) -> tuple[Fix | None, list[tuple[Part, list[Row]]]]:
    """The fix that merges into the newest what repeats it, and which parts that are."""
    target = Target(newest.body, lines)
    pieces = []
    taken: list[tuple[Part, list[Row]]] = []
    for one in _alike(others, target):
        taken.append(one)
        part, older = one
        fates = _fates(older, target)
        moving = [at for at, fate in fates.items() if fate == MOVES]
        target.take(older, _with_above(older, moving))
        left = _left(part, older, [at for at, fate in fates.items() if fate == STAYS])
        if left != part.raw:
            why = _why(newest, len(moving), left != b"")
            pieces.append(Piece(part.offset, part.raw, left, f"the summary in line {part.block.line:,} {why}"))
    if not pieces:
        return None, taken
    new = newest.block.lead + _ended(newest.block.head, newest.body) + target.body()
    moved = target.moved
    why = f"the summary in line {newest.block.line:,} stays" + (f", and gets {moved:,} lines more" if moved else "")
    return Fix(tuple(sorted([*pieces, Piece(newest.offset, newest.raw, new, why)]))), taken


def _alike(others: Sequence[tuple[Part, list[Row]]], target: Target) -> Iterator[tuple[Part, list[Row]]]:
    """Those that are of the same chat as the target, which grows by what they tell."""
    rest = list(others)
    while True:
        left = []
        for one in rest:
            if _is_alike(one[1], target):
                yield one
            else:
                left.append(one)
        if len(left) == len(rest):
            return
        rest = left


def _is_alike(older: Sequence[Row], target: Target) -> bool:
    """Whether a summary is of the same chat as the target."""
    facts = [row for row in older if row.kind == FACT]
    if not facts:
        return not any(row.kind == VERBATIM and not target.has(row) for row in older)
    words = {word for row in facts for one in row.facts for word in one.tokens}
    share = len(words & target.words) / len(words) if words else 0.0
    if share < LEAST:
        return False
    if len(words) >= WORDS and share >= WORDS_SHARE:
        return True
    missing = 0
    for row in facts:
        missing += not target.is_about(row)
        if missing >= (1 - SHARE) * len(facts):
            return False
    return True


def _fates(older: Sequence[Row], target: Target) -> dict[int, str]:
    """What becomes of each line that says something."""
    found = {}
    itself = Target(b"", ())
    for at, row in enumerate(older):
        if row.kind == FACT:
            gone = target.says(row) or itself.says(row)
            found[at] = GONE if gone else STAYS if target.changes(row) else MOVES
        elif row.kind == VERBATIM:
            found[at] = GONE if target.has(row) else MOVES
        if found.get(at) in (MOVES, STAYS):
            itself.learn(row)
    return found


def _with_above(older: Sequence[Row], wanted: Sequence[int]) -> list[int]:
    """These lines and the list items that they belong to."""
    return sorted({*wanted, *(above for at in wanted for above in older[at].above)})


def _left(part: Part, older: Sequence[Row], staying: Sequence[int]) -> bytes:
    """What is left of a summary in its place."""
    if not staying:
        return b""
    kept = {*_with_above(older, staying), *(head for at in staying for head in older[at].heads)}
    lines = [row.raw for at, row in enumerate(older) if at in kept]
    if len(kept) == sum(row.kind in (FACT, HEAD, VERBATIM) for row in older):
        return part.raw
    return part.block.lead + part.block.head + b"".join(_all_ended(lines))


def _all_ended(lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n"


def _ended(head: bytes, body: bytes) -> bytes:
    """A heading that something can follow."""
    return head if body or head.endswith(b"\n") else head + b"\n"


def _why(newest: Part, moving: int, left: bool) -> str:
    said = f"says again what that in line {newest.block.line:,} says"
    if moving:
        said += (
            f"; {moving:,} lines that only it has move there"
            if moving > 1
            else "; one line that only it has moves there"
        )
    return said + ("; what was changed since stays" if left else "")
