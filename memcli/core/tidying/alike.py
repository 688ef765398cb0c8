"""Whether two facts say the same, so that one of them can go without anything being lost with it."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from memcli.damage.memory_duplicates import NOT, in_words, key
from memcli.damage.remembered import plain
from memcli.llm.offline.knowledge import replaced, same
from memcli.llm.offline.wording import figures, words

LEAST = 3
"""Fewer words are no clause."""


class Said(NamedTuple):
    """One statement. `key` is what all spellings of it have in common, `tokens` are its words in their order, without endings
    and without those that make no difference, of Chinese each character. `words` and `figures` are as llm.offline.wording has
    them, `nots` the words in it that deny."""

    text: str
    key: str
    tokens: tuple[str, ...]
    words: frozenset[str]
    figures: frozenset[str]
    nots: frozenset[str]


def said(text: str, labels: Set[str]) -> Said:
    """A statement as it compares with others; `labels` are words before a colon that only sort it."""
    form = plain(text)
    whole = key(form, set(labels))
    found = key(_CHOSE.sub(" ", form), set(labels)).split()
    tokens = tuple(_stem(word) for word in found if word not in _NEUTRAL)
    return Said(text, whole, tokens, words(text), figures(text), NOT & set(in_words(whole)))


def repeats(older: Said, newer: Said) -> bool:
    """Whether the newer statement says all that the older one does: its figures, its words in their order, no "not" more or less,
    and on top nothing but words that make it stronger. One more place or time would bound it: that is another fact."""
    if older.key == newer.key:
        return True
    if not older.tokens or older.nots != newer.nots or older.figures != newer.figures:
        return False
    extra = _beyond(older.tokens, newer.tokens)
    return extra is not None and not _STRONGER.sub("", "".join(extra))


def clauses(text: str) -> list[str]:
    """What a sentence says and goes on to say with "and": each by itself, where nothing bounds or denies the one by the other."""
    if _BOUND.search(text) or NOT & set(in_words(plain(text))):
        return []
    found = [one.strip() for one in _AND.split(text)]
    return [one for one in found if len(in_words(plain(one))) >= LEAST] if len(found) > 1 else []


def changes(older: Said, newer: Said) -> bool:
    """Whether the newer statement says something else about what the older one is about: another value, a "not" more or less, a
    word that turns it round, or the same words the other way round."""
    if not near(older.words - older.figures, newer.words - newer.figures):
        return False
    if older.figures != newer.figures:
        return older.figures.isdisjoint(newer.figures) and replaced(older.text, newer.text)
    if not same(older.text, newer.text):
        return False
    if older.nots != newer.nots:
        return True
    here, there = set(older.tokens), set(newer.tokens)
    differing = [word for word in older.tokens if word not in there]
    differing += [word for word in newer.tokens if word not in here]
    return not differing or _turns(differing)


def akin(older: Said, newer: Said) -> bool:
    """Whether the two are about the same."""
    if not near(older.words - older.figures, newer.words - newer.figures):
        return older.key == newer.key
    if older.figures != newer.figures:
        return changes(older, newer)
    return same(older.text, newer.text) or repeats(older, newer)


def near(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sets of words have half of the larger one in common: a look that is cheap, before a closer one."""
    return 2 * len(some & others) >= max(len(some), len(others), 1)


def _beyond(older: tuple[str, ...], newer: tuple[str, ...]) -> list[str] | None:
    """What the newer words have beside the older ones, None where those are not among them in their order."""
    extra = []
    at = 0
    for word in newer:
        if at < len(older) and word == older[at]:
            at += 1
        else:
            extra.append(word)
    return extra if at == len(older) else None


def _turns(extra: list[str]) -> bool:
    if any(not word[0].isalnum() for word in extra):
        return True
    chinese = "".join(word for word in extra if word > "\u2fff")
    return bool(_TURNS_CHINESE.search(chinese)) or any(_TURNS.fullmatch(word) for word in extra)


def _stem(word: str) -> str:
    return next(iter(words(word)), word)


_NEUTRAL = frozenset(
    (
        *("is", "are", "be", "it", "its", "this", "that", "these", "those", "also", "now", "currently", "then", "just"),
        *(
            "please",
            "has",
            "have",
            "and",
            "user",
            "users",
            "of",
            "in",
            "on",
            "at",
            "which",
            "who",
            "的",
            "了",
            "请",
            "也",
            "并",
            "是",
        ),
    )
)
"""Words without which a statement says the same."""
_STRONGER = re.compile(r"(?:all|every|each|always|very|strictly|clearly|所有|全部|一直|总是|始终|都|非常|很|明确)+")
"""Words with which a statement says what it says without them, and more."""
_CHOSE = re.compile(
    r"\b(?:has |have )?(?:decided|chose|chosen|agreed|opted)(?: (?:to use|on using|to go with|on|for))?\b|\buses?\b|\busing\b"
    r"|(?:决定|选择)(?:使用|采用|选用|用)?|使用|采用|选用|已经|目前|现在|用户"
)
"""Different words for using something."""
_AND = re.compile(r",?\s+and\s+|[，,;；]\s*(?:并且?|而且|同时|且|and\b)|[;；]\s*")
_BOUND = re.compile(
    r"\b(?:if|when|unless|except|until|only|either|neither|both|whether|because|although|though)\b|如果|除非|当|若|只|仅|因为|虽然|除了",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"(?:stop|quit|avoid|hat|dislik|former|previous|drop|remov|reject|abandon|deprecat|disabl|replac|migrat|switch|mov|retir"
    r"|consider|plan|unlik|pretend)\w*"
    r"|against|unless|except|instead|rather|until|before|after|only|maybe|perhaps|might|may|can|could|should|would|will|if|when"
    r"|old|less|more|fewer|sometimes|rarely|hardly|seldom|almost|than|but|however|though|although|was|were|had|used|wants?"
    r"|off|out|up|down|no|none|true|false|low\w*|high\w*|or|from|over|once|yet|still|nearly|some|most|half|last|next|tried|try|trying|fail\w*|test\w*|ex"
)
_TURNS_CHINESE = re.compile(
    r"停|弃|厌|避|取消|禁|改|换|除|如果|若|可能|或|曾|仅|只|但|前|后|原|少|偶|暂|待|计划|考虑|打算|反对|拒|废|迁|替|比|想|试|失败"
    r"|不|没|无|别|勿|非|未|吗|旧|老|另|部分|一些|有时"
)
"""Words that turn a statement round, bound it or take it back when they are added."""
