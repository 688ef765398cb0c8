"""Whether two lines say the same: the offline reader's judgement, and the small words that turn a sentence into its opposite."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.llm.offline import knowledge
from memcli.llm.offline.wording import words

_NOT = re.compile(
    r"\b(?:not|no|never|none|nothing|without|don't|doesn't|didn't|isn't|aren't|won't|can't|cannot|mustn't|shouldn't"
    r"|avoid\w*|stop\w*|instead of|rather than|hates?|dislikes?|disabled?|off)\b"
    r"|不(?!同|过|错|仅|只|管|论)|没有?|别(?!的|人)|勿|禁止|避免|停用|无(?:需|须)|拒绝|关闭",
    re.IGNORECASE,
)


def same(one: str, other: str) -> bool:
    """Whether two lines say the same."""
    if plain(one) == plain(other):
        return True
    return knowledge.same(one, other) and not opposite(one, other)


def covers(kept: str, dropped: str) -> bool:
    """Whether nothing is lost when of two lines that say the same only `kept` stays."""
    if plain(kept) == plain(dropped):
        return True
    return same(kept, dropped) and words(dropped) <= words(kept) and not _more(dropped, kept)


def contradicts(one: str, other: str) -> bool:
    """Whether two lines give different values for one thing, or one says no where the other says yes."""
    if plain(one) == plain(other):
        return False
    return knowledge.replaced(one, other) or (knowledge.same(one, other) and opposite(one, other))


def opposite(one: str, other: str) -> bool:
    """Whether one of two lines says no more often than the other."""
    return _negations(one) % 2 != _negations(other) % 2


@lru_cache(4096)
def plain(text: str) -> str:
    """A line without case, marks of lists and emphasis, and the point at its end."""
    return " ".join(_MARKS.sub("", text.casefold()).split()).rstrip(".。!！;； ")


@lru_cache(4096)
def _negations(text: str) -> int:
    return len(_NOT.findall(text))


def _more(dropped: str, kept: str) -> bool:
    """Whether the one that would be dropped has words in its favour that `words` passes over: who, when, how often."""
    small = set(_SMALL.findall(dropped.casefold()))
    return bool(small - set(_SMALL.findall(kept.casefold())))


_MARKS = re.compile(r"[*_`]+|^\s*(?:[-*+]|\d{1,9}[.)])\s+")
_SMALL = re.compile(r"\b(?:always|only|all|any|every|each|now|must|should|may|can|my|our|your|their|except|also|too)\b")
