"""What the memory says already, and what the batch itself says twice."""

from __future__ import annotations

import re

from memcli.llm.offline.segments import CJK
from memcli.llm.offline.wording import figures, share, words

_CHANGE = re.compile(
    r"\b(?:no longer|any ?more|instead|switch\w*|mov(?:e|ed|ing)|migrat\w+|replac\w+|upgrad\w+"
    r"|now on|changed?)\b|不再|换成|改|切|迁|升级|作废|停用",
    re.IGNORECASE,
)
_ALREADY = re.compile(
    r"\b(?:still|as (?:ever|before|always|you know)|said again|like before|same as before"
    r"|already (?:know|told|said)|as (?:noted|said))\b|还是|照旧|老样子|照常|记忆里|之前(?:说"
    r"|记)过|你(?:都)?知道的|不变|跟以前一样|说过的",
    re.IGNORECASE,
)
_KNOWN = 0.6


class Memory:
    """The lines of the memory there is, as words."""

    def __init__(self, text: str) -> None:
        lines = [line.strip(" -*\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self.lines = [(line, words(line), line.casefold()) for line in lines]
        self.all = text.casefold()
        self.words: frozenset[str] = frozenset().union(*(found for _, found, _ in self.lines))

    def knows(self, text: str) -> bool:
        """Whether a line of the memory says this already; a new figure or a change is never known."""
        said = words(_ALREADY.sub(" ", text))
        new = figures(text)
        if not self.lines or any(figure not in self.all for figure in new):
            return False
        changed = _CHANGE.search(text) is not None
        for line, found, folded in self.lines:
            if any(figure not in folded for figure in new):
                continue
            if share(said, found) >= (0.85 if changed else _KNOWN):
                return True
            if not changed and share(found, said) >= 0.75 and len(found) >= 2:
                return True
            own = frozenset(word for word in said if word.isascii())
            if own and not changed and own <= found and share(said, found) >= 0.4:
                return True
            foreign = bool(CJK.search(line)) != bool(CJK.search(text))
            names = frozenset(word for word in found if word.isascii())
            if foreign and not changed and len(names) >= 1 and share(names, said) >= 0.6 and (new or len(names) >= 2):
                return True
        return not changed and _ALREADY.search(text) is not None and share(said, self.words) >= 0.4


def same(one: str, other: str) -> bool:
    """Whether two statements say the same: the same figures and mostly the same words."""
    first, second = words(one), words(other)
    if figures(one) != figures(other) or not first & second:
        return False
    return min(share(first, second), share(second, first)) >= 0.6


def replaced(old: str, new: str) -> bool:
    """Whether a later statement gives another value for what an earlier one is about."""
    before, after = figures(old), figures(new)
    if not before or not after or before & after:
        return False
    first, second = words(old) - before, words(new) - after
    return bool(first & second) and min(share(first, second), share(second, first)) >= 0.6
