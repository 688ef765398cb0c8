"""Where in the entries a line comes from: by the quotation that a model gave, or else by the words that both have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memcli.core.asking.orders import turns
from memcli.core.asking.sending import Shown
from memcli.llm.offline.segments import split
from memcli.llm.offline.wording import figures, share, words
from memcli.model import Source

MOST = 3
"""So many entries are named as the sources of one line."""


def standing(quote: str, texts: Iterable[str]) -> str:
    """The quotation as it stands in one of the texts, where only blanks may differ; "" where it does not, or is too short to be
    one."""
    quote = quote.strip().strip("…").removesuffix("...").strip()
    if not quote or _weight(quote) < _SHORTEST or len(quote) > _LONGEST:
        return ""
    loose = None
    for text in texts:
        if quote in text:
            return quote
        loose = loose or re.compile(r"\s+".join(map(re.escape, quote.split())))
        found = loose.search(text)
        if found:
            return found[0]
    return ""


def sources_of(text: str, shown: Shown) -> tuple[Source, ...]:
    """The entries that say this, the nearest first, each with the words that come closest; () where none does."""
    said, values = words(text), stated(text)
    found: list[tuple[float, int, str]] = []
    for cursor, contents in shown.entries.items():
        for content in contents:
            folded = content.casefold()
            if not all(holds(folded, value) for value in values):
                continue
            quote, score = _closest(said, values, content)
            near = share(said, words(content))
            if quote and (score >= _ENOUGH or (near >= _ENOUGH and score >= _SOME) or (values and score >= _SOME)):
                found.append((score, cursor, quote))
    found.sort(key=lambda one: (-one[0], one[1]))
    best = found[0][0] if found else 0.0
    return tuple(Source(cursor, quote) for score, cursor, quote in found[:MOST] if score >= 0.8 * best)


def stated(text: str) -> frozenset[str]:
    """The values of a line that cannot be put in other words: numbers, paths, addresses, names with signs in them."""
    return frozenset(one for one in figures(text) if _VALUE.search(one) and one not in ("e.g", "i.e"))


def invented(text: str, cursors: Iterable[int], shown: Shown) -> list[str]:
    """The values in a line that neither these entries nor the memory have."""
    known = " ".join(
        [shown.memory, *(" ".join((*shown.entries[one], shown.times.get(one, ""))) for one in cursors)]
    ).casefold()
    return sorted(value for value in stated(text) if not holds(known, value))


def holds(folded: str, value: str) -> bool:
    """Whether a text in small letters has a value: 80 does not stand in 8080."""
    place = folded.find(value)
    while place >= 0:
        end = place + len(value)
        begins = not (value[0].isdigit() and folded[place - 1 : place].isdigit())
        if begins and not (value[-1].isdigit() and folded[end : end + 1].isdigit()):
            return True
        place = folded.find(value, place + 1)
    return False


def _closest(said: frozenset[str], values: frozenset[str], content: str) -> tuple[str, float]:
    """The sentence of an entry that has most of the words, and which part of them."""
    best, most = "", 0.0
    for sentence in _sentences(content):
        folded = sentence.casefold()
        score = share(said, words(sentence)) + 0.1 * sum(holds(folded, value) for value in values)
        if score > most:
            best, most = sentence, score
    return best[:_LONGEST], min(most, 1.0)


@lru_cache(512)
def _sentences(content: str) -> tuple[str, ...]:
    return tuple(_pieces(content))


def _pieces(content: str) -> Iterator[str]:
    for turn in turns(content):
        yield from split(turn.text)


def _weight(text: str) -> int:
    """How much a quotation says: a sign of Chinese says as much as three letters."""
    return sum(1 if char.isascii() else 3 for char in text if not char.isspace())


_SHORTEST, _LONGEST = 4, 600
_ENOUGH, _SOME = 0.5, 0.3
_VALUE = re.compile(r"\d|[_@]|://|[^.]\.[^.]|^~?/|/.*/")
