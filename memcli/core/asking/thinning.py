"""A memory text without what it says twice, by rules alone; what seems to contradict is told, and stays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memcli.core.asking.headings import layer_of, says_nothing
from memcli.core.asking.likeness import contradicts, covers, plain, same
from memcli.llm.offline.wording import figures, words


class Thinned(NamedTuple):
    """The text, and pairs of lines: `merged` (kept, dropped), `close` (nearly the same, both kept), `conflicts` (different values
    for one thing, both kept). `emptied` are headings under which nothing was left or nothing had ever been."""

    text: str
    merged: tuple[tuple[str, str], ...]
    close: tuple[tuple[str, str], ...]
    conflicts: tuple[tuple[str, str], ...]
    emptied: tuple[str, ...]


def thin(text: str) -> Thinned:
    """The text with each fact once: of two lines that say the same, the one goes that has no word of its own. A list item is
    one fact with all that is indented below it; where there is no list at all, each line is one. Code stays as it is."""
    lines = text.split("\n")
    facts = list(_facts(lines))
    dropped: dict[int, int] = {}
    close: list[tuple[str, str]] = []
    conflicts: list[tuple[str, str]] = []
    for pair in _pairs(facts):
        earlier, later = sorted(_last(place, dropped) for place in pair)
        if earlier == later:
            continue
        one, other = facts[earlier], facts[later]
        apart = {one.layer, other.layer} == {"user", "project"}
        if contradicts(one.text, other.text):
            conflicts.append((one.text, other.text))
        elif covers(one.text, other.text) and not apart:
            dropped[later] = earlier
        elif covers(other.text, one.text) and not apart:
            dropped[earlier] = later
        elif same(one.text, other.text):
            close.append((one.text, other.text))
    gone = {line for place in dropped for line in range(facts[place].first, facts[place].end)}
    emptied = _empty(lines, gone)
    kept = [line for number, line in enumerate(lines) if number not in gone]
    merged = tuple((facts[_last(kept_by, dropped)].text, facts[place].text) for place, kept_by in dropped.items())
    return Thinned("\n".join(kept), merged, tuple(close), tuple(conflicts), tuple(emptied))


class _Fact(NamedTuple):
    """A fact in lines `first` to `end` (exclusive), and the layer that the headings over it tell."""

    first: int
    end: int
    text: str
    layer: str


def _facts(lines: list[str]) -> Iterator[_Fact]:
    code = _code(lines)
    listed = any(_BULLET.match(line) and not code[number] for number, line in enumerate(lines))
    layer = ""
    number = 0
    while number < len(lines):
        line = lines[number]
        heading = None if code[number] else _HEADING.match(line)
        if heading:
            layer = _layer(heading[2]) or (layer if len(heading[1]) > 2 else "")
        bullet = None if code[number] or heading else _BULLET.match(line)
        end = number + 1
        if bullet:
            while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
                end += 1
            yield _Fact(number, end, _joined([bullet[1], *lines[number + 1 : end]]), layer)
        elif not listed and not heading and not code[number] and len(words(line)) > 1:
            yield _Fact(number, end, _joined([line]), layer)
        number = end


def _pairs(facts: list[_Fact]) -> Iterator[tuple[int, int]]:
    """Pairs (later, earlier) of facts that may say the same, or contradict. Where a fact is like many others and each has a word
    of its own, they are a list, and no two of them are about one thing."""
    seen: dict[str, list[int]] = {}
    exact: dict[str, int] = {}
    alike: list[tuple[int, int]] = []
    likes: Counter[int] = Counter()
    for number, fact in enumerate(facts):
        if says_nothing(fact.text):
            continue
        twin = exact.setdefault(plain(fact.text), number)
        if twin != number:
            yield number, twin
            continue
        own = words(fact.text)
        topic = own - figures(fact.text)
        counts = Counter(place for word in topic for place in seen.get(word, ())[-_COMMON:])
        near = [
            place
            for place, count in counts.most_common()
            if 2 * count >= max(len(topic), len(words(facts[place].text) - figures(facts[place].text)))
        ]
        within = [place for place in near if own <= words(facts[place].text) or words(facts[place].text) <= own]
        yield from ((number, place) for place in sorted(within[:_LIST]))
        others = [place for place in near if place not in within]
        likes.update([number] * len(others))
        likes.update(others)
        alike += [(number, place) for place in sorted(others[: _LIST + 1])]
        for word in topic:
            seen.setdefault(word, []).append(number)
    yield from (pair for pair in alike if max(likes[place] for place in pair) <= _LIST)


def _empty(lines: list[str], gone: set[int]) -> list[str]:
    """Headings with nothing but words for nothing below them, and those whose facts all went: they go too."""
    code = _code(lines)
    headings = [
        (number, match) for number, line in enumerate(lines) if not code[number] and (match := _HEADING.match(line))
    ]
    emptied = []
    end = len(lines)
    below = 0
    for number, match in reversed(headings):
        body = [place for place in range(number + 1, end) if lines[place].strip()]
        said = [place for place in body if place not in gone]
        empty = bool(body) and all(says_nothing(lines[place]) for place in said)
        if empty and below <= len(match[1]):
            last = end == len(lines)
            gone |= set(range(number, end - (last and not lines[-1])))
            emptied.append(match[2].strip())
        else:
            below = len(match[1])
        end = number
    return emptied[::-1]


def _code(lines: list[str]) -> list[bool]:
    """Which lines are code between fences, these included."""
    inside = False
    found = []
    for line in lines:
        fence = _FENCE.match(line) is not None
        found.append(inside or fence)
        inside ^= fence
    return found


def _layer(title: str) -> str:
    return next((layer for part in re.split(r" [—–-]+ |[:：]", title) if (layer := layer_of(part.strip(" #*")))), "")


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _last(place: int, dropped: dict[int, int]) -> int:
    """What was kept in the end, where what was kept for one was dropped for another."""
    while place in dropped:
        place = dropped[place]
    return place


_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_COMMON, _LIST = 200, 3
"""So many facts with a word are looked at, the latest; and a fact that is like more than so many is one of a list."""
