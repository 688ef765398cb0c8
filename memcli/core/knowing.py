"""What the memory says already, what it says differently, and what is new to it; English and Chinese."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from memcli.llm.offline.knowledge import Memory, replaced
from memcli.llm.offline.segments import CJK
from memcli.llm.offline.wording import figures, words
from memcli.memory.blocks import fenced
from memcli.model import Item


class Sorted(NamedTuple):
    """`new` in their order; `known` with the line that says the same; `conflicts` with the file and the line, from 1, that gives
    another value for the same thing."""

    new: tuple[Item, ...]
    known: tuple[tuple[Item, str], ...]
    conflicts: tuple[tuple[Item, str, int], ...]


def sort(items: Sequence[Item], texts: Mapping[str, str]) -> Sorted:
    """Tell the items apart by what the files, path -> text, say; of items that say the same word for word the first counts."""
    memory = _Known(texts)
    new: dict[str, Item] = {}
    known: list[tuple[Item, str]] = []
    conflicts: list[tuple[Item, str, int]] = []
    for item in items:
        alike, close = memory.near(item.text)
        twin = new.get(_plain(item.text))
        said = twin.text if twin else next((line.text for line in alike if line.any(_says, item.text)), None)
        if said is not None:
            known.append((item, said))
            continue
        other = next((line for line in close if line.any(contradicts, item.text)), None)
        if other is not None:
            conflicts.append((item, other.path, other.number))
        else:
            new[_plain(item.text)] = item
    return Sorted(tuple(new.values()), tuple(known), tuple(conflicts))


def contradicts(old: str, new: str) -> bool:
    """Whether the later of two statements gives another value for the very thing that the earlier is about: two that differ in
    their subject as well (staging and production) both hold."""
    old, new = _apart(old), _apart(new)
    if not (figures(old) and figures(new)):
        return False
    before, after = _unlinked(old), _unlinked(_FORMER.sub(" ", new))
    if not (replaced(old, new) or replaced(before, after)):
        return False
    first, second = words(before) - figures(before), words(after) - figures(after)
    return not (first - second and second - first)


class _Line(NamedTuple):
    """A line of a memory file, without list mark and emphasis; `number` from 1. `bare` is the text without the bold words before
    it, which may be the label of a category, or what it is about."""

    path: str
    number: int
    text: str
    bare: str

    def any(self, holds: Callable[[str, str], bool], text: str) -> bool:
        """Whether something holds between the line, with its label or without, and a text."""
        return holds(self.text, text) or (self.bare != self.text and holds(self.bare, text))


class _Known:
    """The lines of the files, found by their words."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.lines = [line for path, text in texts.items() for line in _lines(path, text)]
        self.sizes: list[int] = []
        self.by_key: dict[str, list[int]] = defaultdict(list)
        for place, line in enumerate(self.lines):
            whole, bare = _keys(line.text), _keys(line.bare)
            self.sizes.append(min(len(whole), len(bare)))
            for key in whole | bare:
                self.by_key[key].append(place)

    def near(self, text: str) -> tuple[list[_Line], list[_Line]]:
        """The lines that share so many words with a text, or beginnings of words, that they can say the same, and those that can
        say something else about the same, in their order. Of another language one word is enough, which is a name then."""
        keys = _keys(text)
        shared = Counter(place for key in keys for place in self.by_key.get(key, ()))
        chinese = bool(CJK.search(text))
        alike: list[_Line] = []
        close: list[_Line] = []
        for place, count in sorted(shared.items()):
            line, size = self.lines[place], self.sizes[place]
            if count >= _HALF * min(len(keys), size) or bool(CJK.search(line.text)) != chinese:
                alike.append(line)
            if count >= _MOST * max(len(keys), size) - 0.5:
                close.append(line)
        return alike, close


def _lines(path: str, text: str) -> Iterator[_Line]:
    lines = text.split("\n")
    code, _ = fenced(text.encode("utf-8", "surrogatepass"))
    for place, line in enumerate(lines):
        marked = line.strip(" \t\r-+")
        plain = marked.replace("**", "").strip(" *")
        if plain and not line.lstrip().startswith("#") and not (place < len(code) and code[place]):
            yield _Line(path, place + 1, plain, _BOLD.sub("", marked).replace("**", "").strip(" *") or plain)


def _keys(text: str) -> set[str]:
    """What a text is found by: its words, of Latin ones the beginning, without what links them and without figures; the whole
    text where nothing is left."""
    told = (word for word in words(_unlinked(_apart(text))) if not any(sign.isdigit() for sign in word))
    return {word[:3] if word.isascii() and word.isalpha() else word for word in told} or {_plain(text)}


def _says(line: str, text: str) -> bool:
    """Whether a line says what an item says: word for word, or mostly, and nothing in the item has a name that it lacks."""
    if _plain(line) == _plain(text):
        return True
    folded = line.casefold()
    named = (*figures(_apart(text)), *_names(text))
    return all(name.casefold() in folded for name in named) and _memory(line).knows(_apart(text))


@lru_cache(1 << 14)
def _memory(line: str) -> Memory:
    return Memory(_apart(line))


@lru_cache(1 << 14)
def _unlinked(text: str) -> str:
    return _LINK.sub(" ", text)


@lru_cache(1 << 14)
def _apart(text: str) -> str:
    """A text in which blanks keep Latin words and figures from the Chinese around them."""
    return _SEAM.sub(" ", text)


def _names(text: str) -> list[str]:
    """The words of a text that name something: in Chinese the Latin ones, else those with a capital that no sentence begins."""
    if CJK.search(text):
        return _LATIN.findall(text)
    return [word for word in _LATIN.findall(text)[1:] if not word.islower() and word != "I"]


@lru_cache(1 << 14)
def _plain(text: str) -> str:
    """A text for comparing word for word."""
    return re.sub(r"(?:[^\w+#]|_)+", " ", text.casefold()).strip()


_BOLD = re.compile(r"^(?:\* )?\*\*[^*]+\*\*\s*[:：]?\s*")
_SEAM = re.compile(r"(?<=[\u3400-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3400-\u9fff])")
_HALF, _MOST = 0.5, 0.6
"""Which part of the words must be in both: no more than what `Memory` and `replaced` ask for, which see them as they stand."""
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+#]*")
_FORMER = re.compile(
    r"(?:\b(?:instead of|rather than|no longer|not|from|was|formerly|previously)\b|从|由|不再?是?用?|而不是|原来是?|之前是?)"
    r"[^\w,，。；;]*(?:port |端口)?[\w./:@-]*\d[\w./:@-]*",
    re.IGNORECASE | re.ASCII,
)
"""The value that was, in a statement that gives a new one."""
_LINK = re.compile(
    r"\b(?:now|currently|no longer|instead|switch\w*|mov(?:e|ed|ing|es)|migrat\w+|chang\w+|upgrad\w+|set|to)\b"
    r"|(?<=utc|gmt)[+-](?=\d)|现在|目前|如今|已经?|改成|改为|改到|换成|换到|变成|升级?到?|迁移?到?|是|为|在|到|了|的",
    re.IGNORECASE,
)
"""What links a thing to its value, and tells nothing of either."""
