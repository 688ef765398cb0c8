"""Words of a text as they compare with others: without small words and endings in English, as pairs of signs in Chinese."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.llm.offline import chinese, english
from memcli.llm.offline.signals import VALUE

_WORD = re.compile(r"[A-Za-z0-9_][\w@.:/+#-]*[A-Za-z0-9_+#]|[A-Za-z0-9]")
_SIGNS = re.compile(r"[\u3400-\u9fff]+")
_STOP = english.STOP | chinese.STOP


@lru_cache(4096)
def words(text: str) -> frozenset[str]:
    """What tells this text from another."""
    lowered = text.lower()
    plain = {_stem(word) for word in _WORD.findall(lowered) if word not in _STOP}
    pairs = {run[place : place + 2] for run in _SIGNS.findall(text) for place in range(len(run) - 1)}
    return frozenset((plain | pairs) - _STOP)


@lru_cache(4096)
def figures(text: str) -> frozenset[str]:
    """The numbers and the names with signs in them: two texts that differ here do not say the same."""
    found = {match[0].strip('`“”"「」 ,，.').lower() for match in VALUE.finditer(text)}
    return frozenset(one for one in found if re.search(r"\d|[-_/.:@]", one))


def share(some: frozenset[str], of: frozenset[str]) -> float:
    """Which part of the words `some` stands in `of`, long enough beginnings counting as the word."""
    if not some:
        return 0.0
    return sum(word in of or _begun(word, of) for word in some) / len(some)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4 and word.isalpha():
            return word[: -len(ending)]
    return word


def _begun(word: str, of: frozenset[str]) -> bool:
    return (
        word.isascii()
        and len(word) >= 3
        and word.isalpha()
        and any(
            (other.startswith(word) or (len(other) >= 3 and word.startswith(other))) and other.isalpha() for other in of
        )
    )
