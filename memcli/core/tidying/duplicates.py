"""Facts that a memory file says more than once: the first, or the most complete one, stays."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memcli.core.tidying.alike import near
from memcli.core.tidying.framework import Fix, Piece
from memcli.core.tidying.generated import generated
from memcli.damage.framework import TextSnapshot
from memcli.damage.memory_duplicates import facts, repeated_facts
from memcli.damage.remembered import Remembered, plain
from memcli.llm.offline.knowledge import replaced
from memcli.llm.offline.wording import figures, words
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
    values = _Values(entries)
    kept: list[tuple[Remembered, list[Remembered]]] = []
    for group in repeated_facts(snapshot, entries):
        keeper = page.best(group)
        more = [one for one in group if one is not keeper and page.may_go(one) and not values.changed(keeper, one)]
        kept.append((keeper, more))
    going = page.free({one.number for _, more in kept for one in more})
    page.taken = set(going)
    found = []
    for keeper, more in kept:
        gone = [one for one in more if one.number in going]
        if gone:
            stays = page.line(keeper.number)
            kept_line = Piece(keeper.offset, stays, stays, f"line {keeper.number:,} says it, and stays")
            found.append(Fix(tuple(sorted([kept_line, *page.without(gone, keeper)]))))
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

    def without(self, gone: Sequence[Remembered], keeper: Remembered) -> Iterator[Piece]:
        """What takes lines out, those that follow each other in one piece."""
        spans: list[tuple[int, int, int, int]] = []  # first and last line of the piece, and of what is said there
        for one in sorted(gone):
            first, last = self._around(one.number)
            if spans and spans[-1][1] + 1 == first:
                first, _, begun, _ = spans.pop()
                spans.append((first, last, begun, one.number))
            else:
                spans.append((first, last, one.number, one.number))
        for first, last, begun, ended in spans:
            what = f"line {begun:,} says" if begun == ended else f"lines {begun:,} to {ended:,} say"
            start, end = self.starts[first - 1], self.starts[last]
            yield Piece(start, self.raw[start:end], b"", f"{what} what line {keeper.number:,} says")

    def _around(self, number: int) -> tuple[int, int]:
        """A line and, where it stands between two blank ones, one of these."""
        before = number == 1 or self._is_blank(number - 1)
        if before and self._is_blank(number + 1):
            return number, number + 1
        if before and number == len(self.lines) and number > 1 and number - 2 not in self.taken:
            return number - 1, number
        return number, number

    def _is_labelled(self, one: Remembered) -> bool:
        label, colon, _ = one.plain.partition(":")
        return bool(colon) and label.strip() in self.labels

    def _is_blank(self, number: int) -> bool:
        return number <= len(self.lines) and not self.texts[number - 1].strip()


class _Values:
    """The facts that have figures, by their subject, to see what changes what."""

    def __init__(self, entries: Sequence[Remembered]) -> None:
        self.by_subject: defaultdict[tuple[str, ...], list[tuple[int, str, frozenset[str], frozenset[str]]]]
        self.by_subject = defaultdict(list)
        for one in entries:
            found = figures(one.text)
            if found:
                self.by_subject[one.subject].append((one.number, one.text, found, words(one.text) - found))

    def changed(self, keeper: Remembered, other: Remembered) -> bool:
        """Whether a line between the two gives another value for what they are about."""
        mine = figures(keeper.text)
        if not mine:
            return False
        about = words(keeper.text) - mine
        first, last = sorted((keeper.number, other.number))
        return any(
            first < number < last and mine.isdisjoint(values) and near(about, rest) and replaced(keeper.text, text)
            for number, text, values, rest in self.by_subject[keeper.subject]
        )


def _indent(text: str) -> int:
    wide = text.expandtabs(4)
    return len(wide) - len(wide.lstrip())
