"""Where two texts differ, line by line, and which of the places that come to the same is taken for it.

Between repeated lines a difference can stand at several places: the block `H a _` before `H b _` as well as `a _ H` behind the
first H. A block is taken to begin with its heading, and not to lie across what somebody else changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.core.aligning import chain

FURTHEST = 1000
"""So many lines away a difference is looked for another place."""


class Hunk(NamedTuple):
    """Lines `start` to `end` of the first text (from 0, `end` not with them) are lines `at` to `to` of the other."""

    start: int
    end: int
    at: int
    to: int

    @property
    def only_adds(self) -> bool:
        """Whether nothing goes."""
        return self.start == self.end

    @property
    def only_removes(self) -> bool:
        """Whether nothing comes."""
        return self.at == self.to


def hunks(base: Sequence[bytes], other: Sequence[bytes]) -> list[Hunk]:
    """Where two texts differ, in order."""
    codes: dict[bytes, int] = {}
    a, b = ([codes.setdefault(line, len(codes)) for line in lines] for lines in (base, other))
    found = []
    start = at = 0
    for run in [*chain(a, b), None]:
        end, to = (run.a, run.b) if run else (len(a), len(b))
        if (start, at) != (end, to):
            found.append(Hunk(start, end, at, to))
        if run:
            start, at = run.a + run.length, run.b + run.length
    return found


def near(hunk: Hunk, others: Sequence[Hunk]) -> Sequence[Hunk]:
    """Those of `others`, which are in order and from the same first text, with no line of it between them and `hunk`."""
    first = bisect_left(others, hunk.start, key=lambda one: one.end)
    return others[first : bisect_right(others, hunk.end, key=lambda one: one.start)]


def touching(hunk: Hunk, others: Sequence[Hunk]) -> list[Hunk]:
    """Those of `others` that have lines of the first text in common with `hunk`, or add lines within it, or it within them."""
    return [one for one in near(hunk, others) if _touch(hunk, one)]


def settle(
    base: Sequence[bytes], one: tuple[Sequence[bytes], list[Hunk]], two: tuple[Sequence[bytes], list[Hunk]]
) -> tuple[list[Hunk], list[Hunk]]:
    """The differences of two texts from `base`, each where it comes to the same and touches none of the other, if there is such
    a place, and where a block begins best."""
    mine = _placed(base, *one, lambda hunk: True)
    theirs = _placed(base, *two, lambda hunk: not touching(hunk, mine))
    return _placed(base, one[0], mine, lambda hunk: not touching(hunk, theirs)), theirs


def _touch(a: Hunk, b: Hunk) -> bool:
    start, end = max(a.start, b.start), min(a.end, b.end)
    if start < end:
        return True
    inner, outer = (a, b) if a.only_adds else (b, a)
    return inner.only_adds and outer.start < inner.start < outer.end


def _placed(
    base: Sequence[bytes], other: Sequence[bytes], found: Sequence[Hunk], free: Callable[[Hunk], bool]
) -> list[Hunk]:
    placed: list[Hunk] = []
    for number, hunk in enumerate(found):
        if hunk.only_adds or hunk.only_removes:
            least = placed[-1].end + 1 if placed else 0
            most = found[number + 1].start - 1 if number + 1 < len(found) else len(base)
            places = _places(base, other, hunk, least, most)
            text, first = (other, "at") if hunk.only_adds else (base, "start")
            hunk = max(places, key=lambda one: (free(one), _begins(text, getattr(one, first)), one.start))
        placed.append(hunk)
    return placed


def _places(base: Sequence[bytes], other: Sequence[bytes], hunk: Hunk, least: int, most: int) -> Iterator[Hunk]:
    """The places of the first text between `least` and `most` at which a difference comes to the same."""
    yield hunk
    for step in (-1, 1):
        one = hunk
        for _ in range(FURTHEST):
            text, start, end = (other, one.at, one.to) if hunk.only_adds else (base, one.start, one.end)
            one = Hunk(*(place + step for place in one))
            if one.start < least or one.end > most:
                break
            if text[start + min(step, 0)] != text[end + min(step, 0)]:
                break
            yield one


def _begins(text: Sequence[bytes], place: int) -> int:
    """How well a block begins with this line: with a heading, or behind a blank line."""
    if text[place].startswith(b"#"):
        return 2
    return int(bool(text[place].strip()) and (place == 0 or not text[place - 1].strip()))
