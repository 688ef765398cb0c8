"""What a piece of text signals, in whichever of the two languages it is written, or in both."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.llm.offline.chinese import CHINESE
from memcli.llm.offline.english import ENGLISH
from memcli.llm.offline.marks import Marks, small
from memcli.llm.offline.segments import CJK

VALUE = re.compile(
    r"https?://\S+|(?<![\w.])[~.]?/[\w.-]+/?[\w./-]*|\b[\w-]+(?:\.[\w-]+)+\b|\b\d+(?:[.:/-]\d+)+\b"
    r"|\b[A-Za-z]\w*[-_/][\w./-]*\w\b|`[^`]+`|“[^”]+”|\"[^\"]+\"|「[^」]+」"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\d*\b|(?<=[\s(，,、])[A-Z][a-z]+\w*|(?<![a-z])\.\w{2,4}\b"
    r"|\b\d+ ?(?:MB|GB|KB|TB|ms|s|min|h|days?|weeks?|%|V|mm|px|pt|seats|users|rows)?\b"
    r"|0x[\da-fA-F]+"
    r"|[A-Za-z][\w.+#-]*(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff])\s?[A-Za-z][\w.+#-]*"
    r"|[一二三四五六七八九十两]+(?:点|号|天|周|个月|年|分钟|小时)|周[一二三四五六日天]"
)
"""Something concrete: a name, a number, a place."""
STRONG = re.compile(
    r"https?://|(?<![\w.])~?/\w[\w.-]*/[\w./-]+|\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}:\d\d\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[a-z][\w-]*(?:\.[a-z][\w-]*)+\b"
    r"|\b[a-z]\w*(?:-\w+){1,}\d*\b(?<=[\w-]{6})|\b\d+[.号月]\d+|\d{4,5}\b"
    r"|\b(?:port|端口) ?\d+|每(?:周|月|天|晚|年|个月)|周[一二三四五六日天末]|\b(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december)\b|\d+ ?(?:月|号|点|日)",
    re.IGNORECASE,
)
"""A place or a time that can be looked up again."""


PLACE = re.compile(
    r"https?://|\b\d{4}-\d\d-\d\d\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b[a-z][\w-]*(?:\.[a-z][\w-]*){2,}\b|:\d{2,5}\b|\b(?:port|端口) ?\d+|\d+ ?(?:月 ?\d*|号)"
    r"|\b(?:due|deadline)\b|截止|月底|年底",
    re.IGNORECASE,
)
"""An address or a day: whoever chose it, it is a fact now."""


class Signals:
    """The signals of one text; each is looked for only when somebody asks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._small = small(text)
        chinese = CJK.search(text) is not None
        english = not chinese or re.search(r"[A-Za-z]{2,} [A-Za-z]|^\W*[A-Za-z']+\W*$", text) is not None
        self.languages: tuple[Marks, ...] = (*((CHINESE,) if chinese else ()), *((ENGLISH,) if english else ()))
        self._found: dict[str, bool] = {}

    def __getattr__(self, name: str) -> bool:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = any(getattr(marks, name)(self._small) for marks in self.languages)
        return found

    @property
    def value(self) -> bool:
        return VALUE.search(self.text) is not None

    @property
    def strong(self) -> bool:
        return STRONG.search(self.text) is not None

    @property
    def place(self) -> bool:
        return PLACE.search(self.text) is not None

    @property
    def event(self) -> bool:
        return _EVENT.search(self.text) is not None

    @property
    def speaker(self) -> bool:
        """Whether the speaker is who it is about."""
        return _SPEAKER.search(self.text) is not None

    @property
    def seen(self) -> bool:
        return _SEEN.search(self.text) is not None

    @property
    def calendar(self) -> bool:
        """Whether what comes again is a date, not something that happens."""
        return _CALENDAR.search(self.text) is not None and _EVENT.search(self.text) is None

    @property
    def addressing(self) -> bool:
        return re.search(r"\byou\b|你|[给跟]我", self.text, re.IGNORECASE) is not None

    @property
    def you(self) -> bool:
        return _YOU.search(self.text) is not None


@lru_cache(2048)
def signals(text: str) -> Signals:
    """The signals of a text; the same text is asked about as a clause, as a sentence and as a turn."""
    return Signals(text)


_CALENDAR = re.compile(
    r"\b(?:every|each|on) (?:single |second |other |first |last )?(?:month|week|day|night|morning"
    r"|year|quarter|sprint|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)|每(?:周|月|天|年|晚|个月"
    r"|季度)|周[一二三四五六日]",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:whenever|as soon as|(?:every|each) (?:single )?time|the moment|keeps?)\b|每次|每回|每当"
    r"|只要|总是|老是|必",
    re.IGNORECASE,
)
_YOU = re.compile(r"\b(?:you|your|me|my)\b|你|给我", re.IGNORECASE)
_SPEAKER = re.compile(
    r"^\W*(?:\w+,? ){0,2}?(?:i|i'm|i've|i'll|my)\b|^[^，,]{0,3}我(?!们|挂|放|建|搭|部署|传|存|开)", re.IGNORECASE
)
_SEEN = re.compile(
    r"\bi (?:see|get|notice|hit|observe|find|have to|had to|need to|must)\b|我(?:都)?(?:看到|发现"
    r"|遇到|碰到|得|要|修)",
    re.IGNORECASE,
)
