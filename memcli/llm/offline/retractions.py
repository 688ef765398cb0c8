"""What does not stand: statements that a later sentence takes back or corrects. The later value wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.llm.offline.segments import Sentence
from memcli.llm.offline.signals import signals
from memcli.llm.offline.statements import Statement
from memcli.llm.offline.wording import figures, share, words

_UNDONE = re.compile(
    r"^\W*(?:ok|okay|sure|fine|好|好的)?\W*(?:revert\w*|nothing changed|undone|rolled back|dropped"
    r"|cancel\w*|left (?:it )?as (?:it )?(?:is|was)|back to|已?(?:撤|恢复|还原|回退|取消)"
    r"|没(?:有)?改动|那先不动)",
    re.IGNORECASE,
)

_OFFER = re.compile(
    r"\b(?:i (?:can|could|would)|(?:shall|should) i|want me|would you like|we could)\b|^可以|要不要|需要.{0,20}吗|要我.{0,20}吗",
    re.IGNORECASE,
)
_OFFERED = 120
_NO = re.compile(
    r"\W*(?:no|nope|nah|don't|do not|not (?:now|yet|today)|leave it|skip it|不用|不要|不必|别|算了|不了"
    r"|先不[\u3400-\u9fff]?)\W*$",
    re.IGNORECASE,
)


def standing(found: Sequence[Statement], spoken: Sequence[Sentence]) -> list[Statement]:
    """The statements that nothing later takes back.

    A retraction is about what was said just before it (in the same entry or the one before), about a value of the same kind
    in the two entries before, and about every earlier statement with which it shares most of its words.
    """
    gone: set[int] = set()
    rank = {cursor: place for place, cursor in enumerate(dict.fromkeys(one.cursor for one in spoken))}
    said = [place for place, sentence in enumerate(spoken) if sentence.role == "user"]
    kept = {one.sentence for one in found}
    choices = {one.sentence for one in found if one.reading.category == "decision"}
    for nth, place in enumerate(said):
        sentence = spoken[place]
        if not (signals(sentence.text).retract or _UNDONE.search(sentence.reply[:60])):
            continue
        turn = " ".join(spoken[other].text for other in said if spoken[other].cursor == sentence.cursor)[:1200]
        before = _before(said[:nth], spoken)
        if _NO.match(sentence.text) and before >= 0 and _OFFER.search(spoken[before].reply[:_OFFERED]):
            continue  # what is turned down is what the assistant offered
        if before in kept and rank[sentence.cursor] - rank[spoken[before].cursor] <= 1:
            topic = words(sentence.text)
            chosen = before in choices and signals(turn).decided
            if len(topic) <= 6 or chosen or topic & words(spoken[before].text):
                gone.add(before)
        for one in found:
            away = rank[sentence.cursor] - rank[one.cursor]
            if one.sentence < place and (
                _about(one.text, sentence.text) or (0 < away <= 2 and _rivals(one.text, turn))
            ):
                gone.add(one.sentence)
    return [one for one in found if one.sentence not in gone]


def _before(said: Sequence[int], spoken: Sequence[Sentence]) -> int:
    """The last thing said, leaving out interjections; -1 where there is none."""
    for place in reversed(said):
        if len(words(spoken[place].text)) > 2 or figures(spoken[place].text):
            return place
    return -1


def _about(statement: str, retraction: str) -> bool:
    shared = words(retraction) & words(statement)
    if len(shared) < 2 or figures(statement) & figures(retraction):
        return False
    return share(words(retraction), words(statement)) >= 0.5


def _rivals(statement: str, retraction: str) -> bool:
    """Whether both name a value of the same kind and not the same one."""
    for kind in _KINDS:
        old, new = set(kind.findall(statement)), set(kind.findall(retraction))
        if old and new and not old & new:
            return True
    return False


_KINDS = tuple(
    re.compile(form)
    for form in (
        r"https?://[^\s，。、]+",
        r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
        r"\b[a-z][\w-]*(?:\.[a-z][\w-]*)+(?::\d+)?",
        r"(?<![\w.:/])\d{4,5}(?![\w.:/-])",
        r"(?<![\w.])~?/[\w.-]+(?:/[\w.-]+)+",
        r"\b\d{4}-\d\d-\d\d\b|\d+ ?月 ?\d+ ?[号日]",
    )
)
