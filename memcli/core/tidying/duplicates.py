"""Facts that a memory file says more than once: the first, or the most complete one, stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memcli.core.tidying.framework import Fix, Piece
from memcli.core.tidying.generated import generated
from memcli.damage.framework import TextSnapshot
from memcli.damage.memory_duplicates import facts, repeated_facts
from memcli.damage.remembered import Remembered, plain
from memcli.llm.offline.knowledge import replaced
from memcli.llm.offline.wording import figures
from memcli.storage.memory_shape import Shape
from memcli.storage.passages import lines_of

_BULLET = re.compile(r"\s*[-*+•]\s")
_ORDERED = re.compile(r"\s*(?:\d{1,9}[.)]\s|\d{1,3}、|[一二三四五六七八九十]{1,3}、)")
_BOM = b"\xef\xbb\xbf"


def fixes(snapshot: TextSnapshot, shape: Shape) -> list[Fix]:
    """One fix for each fact that stands there more than once, as the class memory-duplicates finds it.

    What goes are list items, and other lines where the agent wrote them. Headings and the user's own prose stay; so does an item
    of a numbered list, whose place may be what it says, and one with something below it that stands nowhere else. What says again
    what another line changed meanwhile is no duplicate: the order tells what holds.
    """
    page = _Page(snapshot, shape)
    entries, _ = facts(snapshot)
    kept: list[tuple[Remembered, list[Remembered]]] = []
    for group in repeated_facts(snapshot, entries):
        keeper = page.best(group)
        more = [one for one in group if one is not keeper and page.may_go(one) and not _changed(keeper, one, entries)]
        kept.append((keeper, more))
    going = page.free({one.number for _, more in kept for one in more})
    page.taken = set(going)
    found = []
    for keeper, more in kept:
        gone = [one for one in more if one.number in going]
        if gone:
            stays = page.line(keeper.number)
            pieces = [Piece(keeper.offset, stays, stays, f"line {keeper.number:,} says it, and stays")]
            pieces += [page.without(one, keeper) for one in gone]
            found.append(Fix(tuple(sorted(pieces))))
    return found


class _Page:
    """A memory file by its lines, numbered from 1."""

    def __init__(self, snapshot: TextSnapshot, shape: Shape) -> None:
        self.raw = snapshot.raw
        self.plain = shape.plain
        self.labels = {plain(one) for one in snapshot.rules.categories} if snapshot.rules else set()
        self.lines = lines_of(snapshot.raw)
        self.texts = [raw.decode("utf-8", "replace").rstrip("\r\n") for raw in self.lines]
        self.starts = [0]
        for raw in self.lines:
            self.starts.append(self.starts[-1] + len(raw))
        self.appended = {number for part in generated(snapshot.raw, shape) for number in part.lines}
        self.taken: set[int] = set()
        """Lines that go."""

    def line(self, number: int) -> bytes:
        """A line with its end."""
        return self.lines[number - 1]

    def may_go(self, one: Remembered) -> bool:
        """Whether a line is the agent's or a list item."""
        text = self.texts[one.number - 1]
        if _ORDERED.match(text) or self.line(one.number).startswith(_BOM):
            return False
        return self.plain or one.number in self.appended or _BULLET.match(text) is not None

    def best(self, group: Sequence[Remembered]) -> Remembered:
        """The one that stays: what has most below it, else one with a label, else the first. A numbered item stays beside it."""
        free = [one for one in group if not _ORDERED.match(self.texts[one.number - 1])] or group
        return max(free, key=lambda one: (len([*self.below(one.number)]), self._is_labelled(one)))

    def free(self, wanted: set[int]) -> set[int]:
        """Those of the lines below which nothing stays."""
        while kept := {number for number in wanted if not set(self.below(number)) <= wanted}:
            wanted = wanted - kept
        return wanted

    def below(self, number: int) -> Iterator[int]:
        """The lines that belong to a line: those behind it that are indented more."""
        depth = _indent(self.texts[number - 1])
        for at in range(number, len(self.texts)):
            text = self.texts[at]
            if text.strip() and _indent(text) <= depth:
                return
            if text.strip():
                yield at + 1

    def without(self, one: Remembered, keeper: Remembered) -> Piece:
        """What takes a line out, and one of two blank lines around it."""
        first = last = one.number
        before = first == 1 or self._is_blank(first - 1)
        if before and self._is_blank(last + 1):
            last += 1
        elif before and last == len(self.lines) and first > 1 and first - 2 not in self.taken:
            first -= 1
        start, end = self.starts[first - 1], self.starts[last]
        return Piece(start, self.raw[start:end], b"", f"line {one.number:,} says what line {keeper.number:,} says")

    def _is_labelled(self, one: Remembered) -> bool:
        label, colon, _ = one.plain.partition(":")
        return bool(colon) and label.strip() in self.labels

    def _is_blank(self, number: int) -> bool:
        return number <= len(self.lines) and not self.texts[number - 1].strip()


def _changed(keeper: Remembered, other: Remembered, entries: Sequence[Remembered]) -> bool:
    """Whether a line between the two gives another value for what they are about."""
    if not figures(keeper.text):
        return False
    first, last = sorted((keeper.number, other.number))
    between = (one for one in entries if first < one.number < last and one.subject == keeper.subject)
    return any(replaced(keeper.text, one.text) for one in between if figures(one.text))


def _indent(text: str) -> int:
    wide = text.expandtabs(4)
    return len(wide) - len(wide.lstrip())
