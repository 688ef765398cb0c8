"""What a piece of text signals, in whichever of the two languages it is written, or in both."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.llm.offline.chinese import CHINESE
from memcli.llm.offline.english import ENGLISH
from memcli.llm.offline.marks import Marks, Once, small
from memcli.llm.offline.segments import CJK

VALUE = re.compile(
    r"https?://\S+|(?<![\w.])[~.]?/[\w.-]+/?[\w./-]*|\b[\w-]+(?:\.[\w-]+)+\b|\b\d+(?:[.:/-]\d+)+\b"
    r"|\b[A-Za-z]\w*[-_/][\w./-]*\w\b|`[^`]+`|“[^”]+”|\"[^\"]+\"|「[^」]+」"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\d*\b|(?<=[\s(，,、])[A-Z][a-z]+\w*|(?<![a-z])\.\w{2,4}\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d+(?:\.\d+)?[kKmMxX]\b|<\w+>"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?=[a-z]+s\b)"
    r"|\b\d+ ?(?:MB|GB|KB|TB|ms|s|min|h|days?|weeks?|%|V|mm|px|pt|seats|users|rows)?\b"
    r"|0x[\da-fA-F]+"
    r"|[A-Za-z][\w.+#-]*(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff])\s?[A-Za-z][\w.+#-]*"
    r"|半(?:年|天|个月|小时)|[一二三四五六七八九十两]+(?:点|号|天|周|个月|年|分钟|小时|位|套|家|种|节|级|层|台|页|份|步|张)|周[一二三四五六日天]"
)
"""Something concrete: a name, a number, a place."""
STRONG = re.compile(
    r"https?://|(?<![\w.])~?/\w[\w.-]*/[\w./-]+|\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}:\d\d\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[a-z][\w-]*(?:\.[a-z][\w-]*)+\b"
    r"|\b\d+[.号月]\d+|\d{4,5}\b"
    r"|\b(?:port|端口) ?\d+|\b\d{1,2}(?:st|nd|rd|th)\b|每(?:周|月|天|晚|年|个月)|周[一二三四五六日天末]|\b(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december)\b|\d+ ?(?:月|号|点|日)",
)
"""A place or a time that can be looked up again."""


PLACE = re.compile(
    r"https?://|\b\d{4}-\d\d-\d\d\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b(?!dd\.|mm\.|yyyy\.)[a-z][\w-]*(?:\.[a-z][\w-]*){2,}\b|:\d{2,5}\b|\b(?:port|端口) ?\d+|\d+ ?(?:月 ?\d*|号)"
    r"|\b(?:due|deadline)\b|截止|月底|年底",
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

    def __getattr__(self, name: str) -> bool:
        found = False
        for marks in self.languages:
            if getattr(marks, name)(self._small):
                found = True
                break
        self.__dict__[name] = found
        return found

    @Once
    def value(self) -> bool:
        return VALUE.search(self.text) is not None

    @Once
    def strong(self) -> bool:
        if STRONG.search(self._small) is not None:
            return True
        joined = _JOINED.findall(self._small) if "-" in self._small or "/" in self._small else ()
        return any(len(word) >= 6 and _names(word) for word in joined)

    @Once
    def place(self) -> bool:
        return PLACE.search(self._small) is not None

    @Once
    def event(self) -> bool:
        return _EVENT.search(self._small) is not None

    @Once
    def speaker(self) -> bool:
        """Whether the speaker is who it is about."""
        return _SPEAKER.search(self._small) is not None

    @Once
    def seen(self) -> bool:
        return _SEEN.search(self._small) is not None

    @Once
    def head(self) -> str:
        """The first thing said, in small letters."""
        return _HEAD.split(self._small, maxsplit=1)[0]

    @Once
    def state(self) -> bool:
        """Whether the first thing said is how something is or where it is, not what people do."""
        return any(marks.state(self.head) and not marks.act(self.head) for marks in self.languages)

    @Once
    def passes(self) -> bool:
        """Whether the first thing said is how it is at this moment."""
        return any(marks.transient(self.head) for marks in self.languages)

    @Once
    def acts(self) -> bool:
        """Whether the first thing said is what is done, in the language that tells it by the verb alone."""
        return CHINESE in self.languages and CHINESE.act(self.head)

    @Once
    def defines(self) -> bool:
        """Whether it says what or where one thing is, or whose, and no more."""
        return _DEFINES.search(self._small) is not None

    @Once
    def limited(self) -> bool:
        """Whether the first thing said is how much or how many it may be."""
        return any(marks.limit(self.head) for marks in self.languages)

    @Once
    def calendar(self) -> bool:
        """Whether what comes again is a date, not something that happens."""
        return _CALENDAR.search(self._small) is not None and _EVENT.search(self._small) is None

    @Once
    def addressing(self) -> bool:
        """Whether it is said to the assistant about what it does."""
        return _ADDRESSING.search(self._small) is not None

    @Once
    def instructs(self) -> bool:
        """Whether it says how the assistant is to do something whenever it does it."""
        return _INSTRUCTS.search(self.text) is not None

    @Once
    def others(self) -> bool:
        """Whether it is somebody else who likes it so."""
        return _OTHERS.search(self._small) is not None

    @Once
    def mine(self) -> bool:
        """Whether it is done for the speaker."""
        return (self.bidding and self.myself) or _TO_ME.search(self.head) is not None

    @Once
    def you(self) -> bool:
        return _YOU.search(self._small) is not None


@lru_cache(2048)
def signals(text: str) -> Signals:
    """The signals of a text; the same text is asked about as a clause, as a sentence and as a turn."""
    return Signals(text)


_JOINED = re.compile(r"[a-z][\w.]*(?:[-/][\w.]+)+")
_FIRST = """
self non co pre re anti multi semi half well ex all cross open real right left long short high low full one two
three four five six first second third sub in on off up pop follow built end
"""
_LAST = """
free only based wide side like specific related level time end to by in up out off on visible facing ready friendly
safe blind sensitive generated written made built day days week weeks hour hours minute minutes page pages person
year years month months line lines column columns
"""
_EITHER = "and/or read/write his/her he/she yes/no on/off client/server input/output"
_BEFORE, _AFTER, _PAIRS = (frozenset(words.split()) for words in (_FIRST, _LAST, _EITHER))


def _names(word: str) -> bool:
    """Whether words joined by strokes are a name; English makes plain words so, too."""
    first, *_, last = re.split(r"[-/]", word)
    return first not in _BEFORE and last not in _AFTER and word not in _PAIRS


_CALENDAR = re.compile(
    r"\b(?:every|each|on) (?:single |second |other |first |last )?(?:month|week|day|night|morning"
    r"|year|quarter|sprint|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)|每(?:周|月|天|年|晚|个月"
    r"|季度)|周[一二三四五六日]",
)
_EVENT = re.compile(
    r"\b(?:whenever|as soon as|(?:every|each) (?:single )?time|the moment|keeps?)\b|每次|每回|每当|每到|每逢|一到"
    r"|只要|总是|老是|必",
)
_DEFINES = re.compile(
    r"^(?:the|our) (?:[\w'-]+ ){1,4}(?:is|are) (?:an? |the |called |named )?[\w.-]+(?: [\w.-]+){0,2}\W*$"
    r"|^[\w-]+ (?:owns|maintains|runs|looks after|takes care of|is responsible for|is in charge of) (?:the|our|all) [\w -]+$"
    r"|^[\u3400-\u9fffa-z ]{2,12}(?:是|叫|归|在(?![跑开等看做忙改查])|负责|找)[\u3400-\u9fffa-z ·-]{2,12}(?:[，,。.!！]|$)"
    r"|^[\u3400-\u9fff]{2,8}(?:号|码|名|代号|账号|地址|编号|id) ?[a-z\d][\w@.:/-]{3,}"
)
_ADDRESSING = re.compile(
    r"\b(?:you|please|pls|plz)\b|你|[给跟]我"
    r"|^(?:以后|每次)?(?:讲|说|回[答复]|解释|翻译|写|给|别|少|多|用|直接|尽量|请|麻烦)",
)
_INSTRUCTS = re.compile(r"你.{1,10}(?:的时候|时(?!间))")
_OTHERS = re.compile(
    r"\b(?:prefers|likes|hates|loves|dislikes|wants|they \w+)\b"
    r"|[\u3400-\u9fff][人员们者师方家长生客户](?:都|更|最|比较|普遍|大多|一般|们)*[喜偏讨反受]"
)
_TO_ME = re.compile(r"[给跟对问教]我|告诉我|提醒我")
_HEAD = re.compile(r"[，；;。：]|, |: ")
_YOU = re.compile(r"\b(?:you|your|me|my)\b|你|给我")
_SPEAKER = re.compile(r"^\W*(?:\w+,? ){0,2}?(?:i|i'm|i've|i'll|my)\b|^[^，,]{0,3}我(?!们|挂|放|建|搭|部署|传|存|开)")
_SEEN = re.compile(
    r"\bi (?:see|get|notice|hit|observe|find|have to|had to|need to|must)\b|我(?:都)?(?:看到|发现"
    r"|遇到|碰到|得|要|修)",
)
