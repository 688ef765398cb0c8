"""What a summary comes to: which of its points may be kept, as items for the memory, and the text that the agent reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import screening_items
from memcli.core.asking.points import DECISION, FACT, GOAL, OPEN, Point
from memcli.core.asking.summarising import TITLES, rendered
from memcli.llm.offline.segments import CJK
from memcli.model import Item, Source

LONGEST = 8000
"""Characters of the text that stands in a session: it goes into every prompt."""
SURE, UNSURE = 0.9, 0.3
"""The confidence of a point that was checked, and of one that could not be."""


class Gathered(NamedTuple):
    """`points` are those that may be kept, `items` the same for the memory, one each; `refused` those that must not be kept, and
    why."""

    points: tuple[Point, ...]
    items: tuple[Item, ...]
    refused: tuple[tuple[Item, str], ...]

    @property
    def sure(self) -> list[Item]:
        """The items whose points were checked."""
        return [item for point, item in zip(self.points, self.items, strict=True) if point.verified]


def gather(points: Sequence[Point]) -> Gathered:
    """Tell the points apart; a goal, or what is open, that is a fact or a decision as well counts as that alone. Raises
    ConfigurationError for patterns of the user's that are no patterns."""
    said = {_bare(point.text) for point in points if point.kind in (FACT, DECISION)}
    points = [point for point in points if point.kind in (FACT, DECISION) or _bare(point.text) not in said]
    every = [item(point) for point in points]
    refused = screening_items.refused(every)
    bad = {id(one) for one, _ in refused}
    kept = [(point, one) for point, one in zip(points, every, strict=True) if id(one) not in bad]
    return Gathered(tuple(point for point, _ in kept), tuple(one for _, one in kept), tuple(refused))


def item(point: Point) -> Item:
    """A point as something to remember; what kind of point it is stands before it where the memory has no word for that."""
    titles = _CHINESE if CJK.search(point.text) else _ENGLISH
    title = titles.get(point.kind, "")
    sources = tuple(Source(row, "") for row in point.rows)
    category = DECISION if point.kind == DECISION else FACT
    return Item(f"{title}{point.text}", point.layer, category, sources, SURE if point.verified else UNSURE)


def merged(before: str, points: Sequence[Point]) -> tuple[str, int]:
    """The text of the summary so far and of these points together, and how many of its oldest lines had to be left out: facts
    first, the goals last. What stood there and is no list of points comes first."""
    free, old = _parted(before)
    said = {_plain(point.text) for point in points}
    old = [point for point in old if _plain(point.text) not in said]
    left = 0
    while True:
        told = [point._replace(text=_marked(point)) for point in points]
        text = "\n".join(part for part in (free, rendered([*old, *told])) if part)
        if len(text) <= LONGEST or not (old or free):
            return text if len(text) <= LONGEST else text[: LONGEST - 2].rsplit("\n", 1)[0] + "\n…", left
        left += 1
        if not old:
            free = free.partition("\n")[2]
            continue
        kind = next(kind for kind in (FACT, DECISION, OPEN, GOAL) if any(point.kind == kind for point in old))
        old.remove(next(point for point in old if point.kind == kind))


def _marked(point: Point) -> str:
    return point.text if point.verified else f"{point.text} [?]"


def _parted(text: str) -> tuple[str, list[Point]]:
    """The points that a text of `rendered` has, with their rows in their words, and what else stands in it."""
    free: list[str] = []
    points: list[Point] = []
    kind = ""
    for line in text.split("\n"):
        if line in TITLES:
            kind = TITLES[line]
        elif kind and line.startswith("- "):
            points.append(Point(kind, line[2:], ()))
        else:
            kind = ""
            free.append(line)
    return "\n".join(free).strip("\n"), points


def _plain(text: str) -> str:
    """A point without its rows."""
    return _ROWS.sub("", text).casefold()


def _bare(text: str) -> str:
    """A point without its mark at the end."""
    return text.strip().rstrip(".!。！").casefold()


_ROWS = re.compile(r"(?: \(rows? [\d, …]+\)|（第 [\d、 …]+ 行）)$")
_ENGLISH = {GOAL: "Goal: ", OPEN: "Open: "}
_CHINESE = {GOAL: "目标：", OPEN: "待办："}
