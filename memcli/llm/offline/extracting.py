"""From entries to items: what is said is cut into statements, what does not stand or is known is left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate, groupby

from memcli.llm.offline import distilled
from memcli.llm.offline.distilled import Fact
from memcli.llm.offline.injections import addressed
from memcli.llm.offline.knowledge import Memory, replaced, same
from memcli.llm.offline.retractions import standing
from memcli.llm.offline.segments import Sentence, clauses, sentences, split
from memcli.llm.offline.signals import signals
from memcli.llm.offline.statements import SECRETS, Statement, statements, units
from memcli.llm.offline.wording import figures, words
from memcli.model import Batch, Item, Source
from memcli.secrets import find


def extract(batch: Batch) -> list[Item]:
    """What of the entries is worth keeping, in their order; nothing that the memory says already."""
    trusted = [entry for entry in batch.entries if not addressed(distilled.told(entry.content))]
    parted = [(entry.cursor, *distilled.split(entry.content)) for entry in trusted]
    spoken = [
        sentence
        for cursor, content, _ in parted
        for sentence in sentences(cursor, content)
        if len(sentence.text) <= _LONGEST
    ]
    found: list[Statement] = []
    shut = _shut(spoken)
    for (_, _, role), numbered in groupby(
        enumerate(spoken), key=lambda pair: (pair[1].cursor, pair[1].turn, pair[1].role)
    ):
        turn = list(numbered)
        around = signals(" ".join(sentence.text for _, sentence in turn)[:_TURN])
        if role == "user":
            ordered = any(signals(sentence.text).order for _, sentence in turn)
            for unit in units(turn):
                found += statements(unit, around, ordered, (turn[0][1].cursor, turn[0][1].turn) in shut)
    memory = Memory(batch.memory)
    kept = [one for one in standing(found, spoken) if not memory.knows(one.text)]
    contents = {entry.cursor: entry.content for entry in batch.entries}
    said = [_item(group, contents) for group in _together(kept)]
    return said + _distilled(parted, said, memory)


def _distilled(parted: list[tuple[int, str, list[Fact]]], said: list[Item], memory: Memory) -> list[Item]:
    """The facts that stand in the entries as such: each once, with all entries that have it; nothing that is known or secret."""
    groups: list[Item] = []
    for cursor, _, facts in parted:
        for fact in facts:
            if memory.knows(fact.text) or find(fact.text) or any(same(one.text, fact.text) for one in said):
                continue
            source = Source(cursor, fact.text)
            twin = next((n for n, one in enumerate(groups) if same(one.text, fact.text)), None)
            if twin is None:
                groups = [one for one in groups if not _superseded(one.text, fact.text)]
                groups.append(Item(fact.text, fact.layer, fact.category, (source,), _TOLD))
            else:
                groups[twin] = groups[twin]._replace(sources=(*groups[twin].sources, source))
    return groups


def _superseded(old: str, new: str) -> bool:
    """Whether a later fact gives another value for what an earlier one is about, and for the same thing: two that differ in their
    subject as well (the orders service, the users service) both hold."""
    if not replaced(old, new):
        return False
    before, after = words(old) - figures(old), words(new) - figures(new)
    return not (before - after and after - before)


_LONGEST = 300
"""Nobody says more in one sentence; what is longer was pasted, and patterns may take long over it."""
_TURN = 1200
_TOLD = 0.7
"""How sure a fact is that somebody distilled before."""


def _together(found: list[Statement]) -> list[list[Statement]]:
    """What says the same as one group; what a later statement gives another value for is left out."""
    groups: dict[int, list[Statement]] = {}
    by_word: dict[str, list[int]] = {}  # two statements that share no word neither say the same nor replace each other
    # what says the same has the same figures, and what replaces it others: most are told apart by that alone
    values: dict[int, frozenset[str]] = {}
    for number, one in enumerate(found):
        mine = figures(one.text)
        near = sorted({place for word in words(one.text) for place in by_word.get(word, ()) if place in groups})
        alike = (place for place in near if values[place] == mine)
        twin = next((place for place in alike if same(groups[place][-1].text, one.text)), None)
        if twin is None:
            for place in near if mine else ():
                other = values[place]
                if other and not other & mine and _superseded(groups[place][-1].text, one.text):
                    del groups[place]
            groups[number] = []
        place = number if twin is None else twin
        groups[place].append(one)
        values[place] = mine
        for word in words(one.text):
            by_word.setdefault(word, []).append(place)
    return list(groups.values())


def _shut(spoken: list[Sentence]) -> set[tuple[int, int]]:
    """The turns, by entry and place, in which something stands that opens something; all are looked through at once."""
    text = "\n".join(sentence.text for sentence in spoken)
    hits = [one.start for one in find(text, kinds=SECRETS)]
    if not hits:
        return set()
    starts = list(accumulate((len(sentence.text) + 1 for sentence in spoken), initial=0))
    found = (spoken[bisect_right(starts, hit) - 1] for hit in hits)
    return {(sentence.cursor, sentence.turn) for sentence in found}


def _item(group: list[Statement], contents: Mapping[int, str]) -> Item:
    best = max(group, key=lambda one: one.reading.score)
    sources = tuple(Source(one.cursor, _verbatim(one.quote, contents[one.cursor])) for one in group)
    confidence = round(min(0.95, 0.3 + best.reading.score / 8), 2)
    expires = _expiry(best)
    return Item(best.text, best.reading.layer, best.reading.category, sources, confidence, expires)


def _verbatim(quote: str, content: str) -> str:
    """The quotation as it stands in the entry: where words were left out in between, its longest piece that does."""
    if quote in content:
        return quote
    pieces = (clause.strip() for sentence in split(quote) for clause in (sentence, *clauses(sentence)))
    return max((piece for piece in pieces if piece in content), key=len, default="")


def _expiry(one: Statement) -> str:
    """The day of a deadline, written as a date; nothing is computed from "next Friday"."""
    if one.reading.category != "fact" or not _DUE.search(one.text):
        return ""
    day = _DAY.search(one.text)
    return day[0] if day else ""


_DUE = re.compile(
    r"\b(?:due|deadline|until|by|before|ends?|expires?|freeze)\b|截止|之前|到期|截至|前(?:交|提交|完成|上线)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b")
