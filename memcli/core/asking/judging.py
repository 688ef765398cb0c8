"""The first guard: what of a model's answer is sound, what can only be kept as doubtful, what cannot be kept, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from memcli.core.asking import answers, headings
from memcli.core.asking.headings import category_of, guess_category, guess_layer, layer_of
from memcli.core.asking.likeness import same
from memcli.core.asking.matching import invented, sources_of, standing
from memcli.core.asking.orders import is_order
from memcli.core.asking.sending import Shown, clean, opens
from memcli.model import Item, Reply, Source

MOST = 100
"""Items of one answer that are read."""
DOUBT = 0.3
"""The most confidence that is left to what could not be verified."""


class Doubt(NamedTuple):
    """An item that is usable and not verified, and why not."""

    item: Item
    why: str


class Judged(NamedTuple):
    """An answer as it was understood. `formed` is False where it has none of the forms. `faults` are clauses on what is wrong,
    for the model; `gone` sentences on what is kept in no case, for the user."""

    formed: bool
    sound: tuple[Item, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    faults: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether something of it can be kept, or it says rightly that there is nothing."""
        return bool(self.sound or self.doubtful) or (self.formed and not self.faults)


def judge(reply: Reply, shown: Shown) -> Judged:
    """What of an answer can be kept."""
    text = clean(reply.text)
    faults: list[str] = []
    if len(text) > answers.LONGEST:
        faults.append(f"it is {len(text):,} characters long, and only {answers.LONGEST:,} were read")
        text = text[: answers.LONGEST]
    if not text.strip():
        return Judged(False, faults=("it is empty",))
    if headings.says_nothing(answers.unfenced(text)):
        return Judged(True)
    found = answers.listed(text, "text")
    heads = None if found and found.members else headings.rendered(answers.unfenced(text))
    if heads:
        return _judge_bullets(heads, shown, faults, reply.cut)
    if not found:
        return Judged(False, faults=(*faults, "it is no JSON list of items with a text"))
    if found.torn or reply.cut:
        faults.append("it breaks off, or is no valid JSON; only the whole items in it were read")
    return _judge_members(found.members, shown, faults)


def _judge_members(members: tuple[Any, ...], shown: Shown, faults: list[str]) -> Judged:
    if len(members) > MOST:
        faults.append(f"it has {len(members):,} items, and only the first {MOST} were read")
    sorter = _Sorter(faults)
    for number, member in enumerate(members[:MOST], 1):
        sorter.take(f"item {number}", partial(_member, member, shown))
    return sorter.judged()


def _judge_bullets(heads: headings.Rendered, shown: Shown, faults: list[str], cut: bool) -> Judged:
    faults += heads.faults
    bullets = heads.bullets
    if cut:
        faults.append("it breaks off; its last line was left out")
        bullets = bullets[:-1]
    if len(bullets) > MOST:
        faults.append(f"it has {len(bullets):,} lines, and only the first {MOST} were read")
    sorter = _Sorter(faults)
    for number, bullet in enumerate(bullets[:MOST], 1):
        sorter.take(f"line {number}", partial(_bullet, bullet, shown))
    sorter.gone += [f"Left out, as it stands under no heading: {short(line)}." for line in heads.stray[:8]]
    return sorter.judged()


class _Refused(Exception):
    """An item that cannot be kept. `final`: asking again is of no use."""

    def __init__(self, why: str, text: str = "", final: bool = False) -> None:
        super().__init__(why)
        self.why, self.text, self.final = why, text, final


class _Sorter:
    """Takes items one by one and sorts them; what is said twice is taken once, with the sources of both."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        self.gone: list[str] = []
        self.sound: list[Item] = []
        self.doubtful: list[Doubt] = []
        self.twice = 0

    def take(self, name: str, make: Callable[[], tuple[Item, str]]) -> None:
        try:
            item, why = make()
        except _Refused as refused:
            told = f"{refused.why}{f': {short(refused.text)}' if refused.text else ''}"
            if not refused.final:
                self.faults.append(f"{name}: {told}")
            self.gone.append(f"Dropped, as {told}.")
            return
        if why:
            self.faults.append(f"{name}: {why}")
            if not any(alike(item, other) for other in (*self.sound, *(one.item for one in self.doubtful))):
                self.doubtful.append(Doubt(item, why))
            return
        twin = next((place for place, other in enumerate(self.sound) if alike(item, other)), None)
        if twin is None:
            self.sound.append(item)
        else:
            self.twice += 1
            self.sound[twin] = joined(self.sound[twin], item)

    def judged(self) -> Judged:
        if self.twice:
            self.gone.append(f"Said twice in the answer, and kept once: {self.twice}.")
        doubtful = [one for one in self.doubtful if not any(alike(one.item, other) for other in self.sound)]
        return Judged(True, tuple(self.sound), tuple(doubtful), tuple(self.faults), tuple(self.gone))


def alike(one: Item, other: Item) -> bool:
    """Whether two items of one layer say the same."""
    return one.layer == other.layer and same(one.text, other.text)


def joined(one: Item, other: Item) -> Item:
    """The first of two items that say the same, with the sources of both."""
    more = [source for source in other.sources if not any(_within(source, known) for known in one.sources)]
    sources = (*one.sources, *more)[:_SOURCES]
    return one._replace(sources=sources, confidence=max(one.confidence, other.confidence))


def _within(source: Source, known: Source) -> bool:
    """Whether one of two quotations from an entry holds the other."""
    return source.cursor == known.cursor and (source.quote in known.quote or known.quote in source.quote)


def short(text: str) -> str:
    """A text for a note, in quotation marks."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= 80 else line[:79] + '…'}”"


def _member(value: Any, shown: Shown) -> tuple[Item, str]:
    """One item of a JSON answer, and why it is doubtful, "" where it is not."""
    if not isinstance(value, dict):
        raise _Refused("it is no object", str(value)[:80])
    text = _text(value.get("text"), shown)
    faults = []
    layer, category = layer_of(value.get("layer")), category_of(value.get("category"))
    if not layer:
        faults.append("its layer is neither user nor project")
    if not category:
        faults.append("its category is none of decision, fact, preference and pattern")
    sources, wrong = _sources(value.get("sources"), shown, text)
    if not sources:
        faults.append(wrong)
        sources = sources_of(text, shown)
        if not sources:
            raise _Refused(f"no entry says it ({wrong})", text)
    strange = invented(text, (source.cursor for source in sources), shown)
    if strange:
        faults.append(f"its sources do not say {', '.join(strange[:4])}")
    confidence = _confidence(value.get("confidence"))
    item = Item(
        text,
        layer or guess_layer(text, category),
        category or guess_category(text),
        sources,
        min(confidence, DOUBT) if faults else confidence,
        _day(value.get("expires")),
    )
    return item, "; ".join(faults)


def _bullet(bullet: headings.Bullet, shown: Shown) -> tuple[Item, str]:
    text = _text(bullet.text, shown)
    sources = sources_of(text, shown)
    item = Item(text, bullet.layer, bullet.category, sources, 0.6 if sources else 0.2)
    return item, "" if sources else "no entry says it in words like these"


def _text(value: Any, shown: Shown) -> str:
    """What an item says, as one line."""
    if not isinstance(value, str):
        raise _Refused("it has no text")
    text = _MARK.sub("", " ".join(value.split())).strip()
    if sum(1 if char.isascii() else 2 for char in text if char.isalnum()) < _SHORTEST or headings.says_nothing(text):
        raise _Refused("it says nothing", text)
    if len(text) > _LONGEST:
        raise _Refused(f"it is longer than {_LONGEST} characters", text)
    if shown.fence in text:
        raise _Refused("it holds the mark around the data", text)
    if is_order(text):
        raise _Refused("it is an order to the memory", text, final=True)
    if opens(text):
        raise _Refused("it holds what looks like a secret", final=True)
    masked = sorted(label for label in shown.secret_labels if label in text)
    if masked:
        raise _Refused(f"it is about a secret ({', '.join(masked)})", text, final=True)
    return text


def _sources(value: Any, shown: Shown, text: str) -> tuple[tuple[Source, ...], str]:
    """The sources that hold, and what is wrong with the first that does not."""
    found: list[Source] = []
    wrong = ""
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict):
            wrong = wrong or "it has no sources"
            continue
        cursor, quote = _number(one.get("cursor")), one.get("quote")
        if cursor is None or cursor not in shown.entries:
            wrong = wrong or f"there is no entry {short(str(one.get('cursor')))}"
            continue
        if not isinstance(quote, str):
            wrong = wrong or f"it has no quote from entry {cursor}"
            continue
        words = standing(clean(quote), shown.entries[cursor])
        if words:
            found.append(Source(cursor, words))
        elif standing(clean(quote), shown.held.get(cursor, ())):
            raise _Refused(f"it follows an order in entry {cursor}", text, final=True)
        else:
            wrong = wrong or f"the quote does not stand in entry {cursor}"
    return tuple(dict.fromkeys(found))[:_SOURCES], wrong or "it has no sources"


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value.strip()) else None


def _confidence(value: Any) -> float:
    """A number between 0 and 1; where there is none of that kind, what is usual."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    return 0.7


def _day(value: Any) -> str:
    return value if isinstance(value, str) and _DAY.fullmatch(value) else ""


_SOURCES = 8
_SHORTEST, _LONGEST = 4, 600
_MARK = re.compile(r"^(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s+")
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
