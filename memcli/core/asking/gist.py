"""What a conversation wants and what it leaves open, found by rules of language in its own words, English and Chinese."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core.asking.orders import is_order
from memcli.llm.offline.segments import CJK, Sentence, sentences
from memcli.llm.offline.signals import signals
from memcli.llm.offline.wording import words


class Said(NamedTuple):
    """The text of one row; `role` is "user" or "assistant"."""

    row: int
    role: str
    text: str


class Line(NamedTuple):
    """A sentence of a conversation, and the row that it stands in."""

    row: int
    text: str


def goal(said: Sequence[Said]) -> Line | None:
    """What the person wants: where they say so themselves, else the first thing that they ask for, else the first that they
    say; None where they say nothing."""
    spoken = [line for one in said if one.role == "user" for line in _lines(one)]
    worth = [line for line in spoken if _weight(line.text) >= _LEAST]
    wanted = next((line for line in worth if _WANTED.search(line.text)), None)
    asked = next((line for line in worth if _asks(line.text)), None)
    return wanted or asked or next(iter(worth), None)


def open_points(said: Sequence[Said]) -> list[Line]:
    """What is left to do, to decide or to answer, in order: sentences that say so and that nothing later closes, and the last
    thing asked for when nobody answered."""
    spoken = [line for one in said for line in _lines(one)]
    closing = _Closing(spoken)
    found = [
        line
        for place, line in enumerate(spoken)
        if _OPEN.search(line.text)
        and not _DONE.search(line.text)
        and _weight(line.text) >= _LEAST
        and not closing.closes(place, line.text)
    ]
    asked = [line for one in said[-1:] if one.role == "user" for line in _lines(one) if _weight(line.text) >= _LEAST]
    found += [line for line in asked[-2:] if _asks(line.text) and line not in found]
    return found


def _lines(one: Said) -> list[Line]:
    if is_order(one.text):
        return []
    return [Line(one.row, sentence.text) for sentence in _spoken(one) if len(sentence.text) <= _LONGEST]


def _spoken(one: Said) -> list[Sentence]:
    role = "[user] " if one.role == "user" else "[assistant] "
    return [sentence for sentence in sentences(one.row, role + one.text) if sentence.role == one.role]


def _asks(text: str) -> bool:
    own = signals(text)
    return own.order or own.question or own.asking or _PLEASE.search(text) is not None


class _Closing:
    """The sentences that say that something is done, by the words in them."""

    def __init__(self, spoken: Sequence[Line]) -> None:
        self.places: dict[str, list[int]] = {}
        for place, line in enumerate(spoken):
            if _DONE.search(line.text) and not _OPEN.search(line.text):
                for word in words(line.text):
                    self.places.setdefault(word, []).append(place)

    def closes(self, place: int, text: str) -> bool:
        """Whether one of them stands behind a place and has half of the words of what is open there."""
        topic = words(_OPEN.sub(" ", text))
        counts = Counter(later for word in topic for later in self.places.get(word, ()) if later > place)
        return any(2 * count >= len(topic) for count in counts.values())


def _weight(text: str) -> int:
    return len(text) + 2 * len(CJK.findall(text))


_LEAST, _LONGEST = 10, 400
_WANTED = re.compile(
    r"\b(?:(?:the|my|our) (?:goal|aim|task|plan) (?:is|here|today)|i(?:'d| would)? (?:want|like|need) to|we (?:want|need) to"
    r"|i'm (?:trying|working)|let's|help me|i(?:'m| am) building)\b"
    r"|目标是|任务是|我(?:们)?(?:想|要|打算|准备|需要|得)(?!不)|帮我|咱们来|我(?:们)?在(?:做|写|搞)",
    re.IGNORECASE,
)
_PLEASE = re.compile(r"\b(?:please|pls|can you|could you)\b|请|麻烦|能不能|帮", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:to-?do|tbd|still (?:need\w*|ha(?:ve|s) to|open|fail\w*|broken|missing|to (?:do|be)|unclear|unsure|must|not)"
    r"|not (?:yet )?(?:done|finished|fixed|decided|implemented|merged|tested|clear)|not yet|yet to"
    r"|remain\w*|left to (?:do|fix)|next (?:steps?|up|we|i)|follow-?ups?|open (?:questions?|issues?|points?)|pending"
    r"|blocked (?:on|by)|wait(?:ing)? (?:for|on)|unresolved|to be (?:decided|done|confirmed)|haven't|hasn't"
    r"|don't forget|later (?:we|i|you)|(?:do|fix|tackle|decide|look at) (?:it |that |this )?(?:later|tomorrow|next week)"
    r"|come back to)\b"
    r"|待(?:办|定|确认|解决|处理|讨论|补|修)|还(?:没|未|需|要|差|剩|有.{0,8}没)|尚未|未(?:完成|解决|处理|确认|决定|测试)"
    r"|下一步|接下来|后续|剩下|剩余|遗留|等(?:他|她|对方|客户|确认|回复|评审)|卡在|(?:以后|之后|回头|明天|下周)再"
    r"|别忘了|记得要|没(?:定|修好|做完|测|上线|合并)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|finished|resolved|merged|works? now|pass(?:es|ed)?|implemented|closed|decided|completed|added"
    r"|shipped|deployed)\b(?<!not done)(?<!not fixed)(?<!not finished)(?<!not decided)(?<!not implemented)(?<!not merged)"
    r"(?<!yet done)(?<!be done)(?<!be decided)"
    r"|(?<!没)(?<!未)(?:完成|搞定|解决|修好|修复|合并|上线|部署|做完)了?|已经?(?!知)|好了",
    re.IGNORECASE,
)
