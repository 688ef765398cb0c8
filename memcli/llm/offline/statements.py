"""What of a turn is a statement that may hold: sentences that belong together, without clauses that say nothing lasting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli import secrets
from memcli.llm.offline.judging import Reading, first, read
from memcli.llm.offline.segments import CJK, Sentence, clauses, split
from memcli.llm.offline.signals import Signals, signals
from memcli.llm.offline.wording import share, words


class Statement(NamedTuple):
    """Words worth keeping: `sentence` is where in the batch they stand (its number), `quote` how they stand there."""

    sentence: int
    cursor: int
    text: str
    quote: str
    reading: Reading


class Unit(NamedTuple):
    """Sentences of one turn that are read as one: a statement and what says how far it goes."""

    sentence: int
    cursor: int
    text: str
    reply: str
    under: str


_SCOPE = re.compile(
    r"^(?:same (?:for|goes|in|everywhere|with|reason|story|here)|(?:in |for )?(?:every|any|all"
    r"|each)(?: other)? (?:project|repo|language|machine|codebase|app)\w*\b|every ?where"
    r"|not (?:just|only) (?:this|here|in)|that's what we|that's (?:final|decided|settled|how we"
    r"|the rule)|no exceptions?|always|never (?:the |in |on |with )?\w+\W*$"
    r"|final\b|(?:team|house|company|group|our) (?:rule|agreement|policy"
    r"|convention|decision)|that's the rule"
    r"|that's (?:a|our) (?:promise|must|principle|commitment)|all (?:models|devices|browsers|machines|versions|units)\b"
    r"|this (?:goes|holds|applies)|it's (?:final"
    r"|decided|settled|a rule|how)|now and later|(?:happened|happens|seen|saw it|it happened)\b"
    r"|(?:we|i) (?:see|get|have|hit) (?:it|this|that) (?:on|with|in|at) (?:every|all|each)\b"
    r"|(?:second|third|fourth|fifth) time|without exception|i can't (?:stand|read)|(?:not|non-?) ?negotiable"
    r"|(?:always|never) (?:has|have|did|do|will|again)\b|period\W*$|end of story|no (?:discussion|debate|way around)"
    r"|(?:never|don't) \w+ (?:it|them|that)\W*$)"
    r"|^(?:reproducible|each time|every (?:single )?time\W*$|all of them)\b"
    r"|^(?:哪个|每个|所有|任何|其他|别的|不管|无论|到哪|哪儿都|别处|都(?:是|一样)|不只|不光"
    r"|没有例外|一直(?:都)?(?:是|这样)|(?:大家|会上|组里|老板|老大)?(?:都)?(?:已经)?(?:定了|说好了"
    r"|同意了|拍板了)|回回|次次|每次都|这是(?:规矩|约定))",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"^(?:\w+ ){1,7}(?:decided|agreed|settled|shook hands|signed|voted|insists?|ruled|approved|wants?|asked|picked|chose|ordered"
    r"|says?|said)(?: \w+){0,3} (?:that|it|this|so)"
    r"(?=\W*$|[,.;]| (?:already|years?|months?|weeks?|long|last|on|in|at|before|ago|down|off|when|because)\b)"
    r"|^[^，,]{0,8}(?:说好|定|定死|同意|拍板|点头|批|商量好|谈好)[了的过]*[。.!！]?$",
    re.IGNORECASE,
)
"""It only says who came to it: nothing by itself."""
_POLITE = re.compile(
    r"[,，] ?(?:ok|okay|alright|deal|yes|yeah|please|thanks|(?:will|would|could) you|好吗|行吗"
    r"|可以吗|好不好|行不行)\s*[?？]$|\b(?:can|could|would|will) you (?:please )?\w+|(?:能不能"
    r"|可不可以|能|可以).{2,30}[吗？?]",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:记|说|有|定)(?:了)?(?:几|一|两|些)(?:条|点|个|件|项)[^，,]{0,4}$|\b(?:a few|some|two"
    r"|three|several) (?:things|rules|notes|points|conventions)\W*$",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^(?:it|they|he|she|both)(?:'s|'re)?\b"
    r"|^(?:that|this|these|those)(?:'s| (?:is|was|are|were|will|would|can|has|had|one|ones|way|means|goes"
    r"|works|looks|should|must|needs|does|doesn't|did|makes|helps|happens|happened|too|again|time)\b|[,.!]|$)"
    r"|^[它他她]们?(?!的)"
    r"|^[这那](?:些|样|边|里|个)?(?=[是不要就也可会没太很能得都还有在，,。！!]|$)",
    re.IGNORECASE,
)
"""What begins so says nothing to somebody who reads it alone."""
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|last|former|latter) (?:one|ones|option|variant|idea)\b"
    r"|第[一二三四][个种](?=[吧的了好，。]|$)",
    re.IGNORECASE,
)
"""Who was not there does not know which one is meant."""
_SOMEBODY = re.compile(r"(?:he|she|it|they)\b|[他她它]们?(?!的)", re.IGNORECASE)
_NEGATED = re.compile(r"^\W*(?:不(?:用|上|要|走|选|是)|别(?:用|上)|not\b|no more\b)", re.IGNORECASE)
_ACK = re.compile(
    r"^(?:好的?|明白|收到|了解|嗯|行|没问题|ok(?:ay)?|understood|noted|sure|right|got it|good)[，,。.!：: ]*",
    re.IGNORECASE,
)
SECRETS = frozenset(kind for kind, about in secrets.KINDS.items() if about.secret)
_SHORT = 60
_TAG = 30
"""A clause that only says who agreed is no longer."""
_REPLY = 160


def units(turn: Sequence[tuple[int, Sentence]]) -> list[Unit]:
    """The sentences of a turn; one that only says how far the one before goes is joined to it."""
    found: list[Unit] = []
    for place, sentence in turn:
        text = sentence.text
        if (
            found
            and not sentence.under
            and (_SCOPE.search(text) or _TAGGED.search(text))
            and len(text) <= _SHORT
            and len(found[-1].text) <= 300
            and not signals(found[-1].text).question
            and not (signals(text).doubt or signals(text).hearsay)
        ):
            last = found[-1]
            gap = "" if CJK.search(last.text[-2:]) else " "
            found[-1] = last._replace(text=f"{last.text}{gap}{text}")
            continue
        found.append(Unit(place, sentence.cursor, text, sentence.reply, sentence.under))
    return found


def statements(unit: Unit, turn: Signals, ordered: bool, guarded: bool) -> Iterator[Statement]:
    """What of a unit is worth keeping, as one statement or, where it states two different things, as several; `guarded`: it
    may hold a secret."""
    whole = signals(unit.text)
    turn = signals(unit.under) if unit.under else turn
    if whole.doubt or whole.hearsay or (whole.question and not _asked_for_good(whole)):
        return
    if whole.asking and not (whole.lasting or whole.manner or whole.liking or whole.style or whole.self_fact):
        return
    if whole.momentary and not (whole.lasting or whole.across):
        return
    answer = signals(unit.reply[:_REPLY].partition("\n")[0])
    kept = [clause for clause in clauses(unit.text) if turn.announces or _holds(clause, whole)]
    found = list(_worded(unit, kept, turn, answer, ordered))
    if found and guarded and opens(unit.text):
        shut = [clause for clause in kept if not opens(clause)]
        found = [one for one in _worded(unit, shut, turn, answer, ordered) if not opens(one.text)]
    yield from found


def opens(text: str) -> bool:
    """Whether a text holds what opens something: a password, a key."""
    return any(secrets.find(text, kinds=SECRETS))


def _worded(unit: Unit, kept: list[str], turn: Signals, answer: Signals, ordered: bool) -> Iterator[Statement]:
    for group in _groups(kept, turn, answer):
        text = _plain(group)
        if _ANNOUNCED.search(text) or _TAGGED.search(text) or len(text) < (4 if CJK.search(text) else 9):
            continue
        own = signals(group if group.startswith(text) else text)
        reading = read(own, turn, answer, ordered, _echoed(text, unit.reply))
        if reading and _ORDINAL.search(text) and not own.strong:
            continue
        if reading and (own.strong or (own.value and not _SOMEBODY.match(text)) or not _POINTING.search(text)):
            yield Statement(unit.sentence, unit.cursor, text, group.strip(), reading)


def _echoed(text: str, reply: str) -> bool:
    """Whether the reply begins with saying again what was said."""
    begun = next(split(reply[:_REPLY]), "")
    told = words(_ACK.sub("", begun))
    return bool(told) and "?" not in begun and "？" not in begun and share(told, words(text)) >= 0.6


def _asked_for_good(whole: Signals) -> bool:
    """Whether a question is a polite way to ask for something for good."""
    lasting = whole.lasting or whole.across or whole.event
    return _POLITE.search(whole.text) is not None and lasting and (whole.manner or whole.style)


def _holds(clause: str, whole: Signals) -> bool:
    """Whether a clause says something beyond this moment."""
    own = signals(clause)
    good = own.lasting or own.across or whole.agreed
    if own.favour and not (good or whole.manner or whole.style):
        return False
    if own.passing and not good:
        return False
    if own.dated and not (
        good or whole.decided or whole.self_choice or own.place or own.calendar or own.norm or own.self_fact
    ):
        return False
    if own.retract and not (own.decided or own.norm or own.value):
        return False
    if whole.retract and _NEGATED.search(clause):
        return False
    excused = good or whole.lasting or whole.across or whole.liking or whole.manner or own.told
    return not own.order or excused or (own.project and (own.norm or own.decided) and not own.favour)


def _groups(kept: list[str], turn: Signals, answer: Signals) -> list[str]:
    """Neighbouring clauses as one text, unless they are about different things: the speaker and the code, what is and how
    it is wanted, a fact and a choice that both name something."""
    groups: list[tuple[str, Reading | None]] = []
    for clause in kept:
        own = signals(clause)
        reading = first(own, turn, answer)
        if groups and not (groups[-1][1] and reading and _apart(groups[-1], reading, own)):
            text, before = groups[-1]
            better = reading if before is None or (reading and reading.score > before.score) else before
            groups[-1] = (text + clause, better)
        else:
            groups.append((clause, reading))
    return [text for text, _ in groups]


def _apart(before: tuple[str, Reading | None], reading: Reading, own: Signals) -> bool:
    text, last = before
    if last is None or (last.layer, last.category) == (reading.layer, reading.category):
        return False
    earlier = signals(text)
    if own.agreed and len(own.text) <= _TAG:
        return False
    if last.layer == reading.layer == "user":
        return {last.category, reading.category} == {"fact", "preference"}
    if last.layer == reading.layer == "project":
        return (
            {last.category, reading.category} == {"fact", "decision"}
            and earlier.value
            and own.value
            and not earlier.norm
            and not earlier.decided
        )
    return own.project != earlier.project and own.myself != earlier.myself


def _plain(text: str) -> str:
    """The words without what leads up to them."""
    text = text.strip()
    for marks in signals(text).languages:
        text = marks.lead.after(text)
    text = re.sub(
        r"^(?:so|but|and) (?=please|pls|i\b|keep|don't|do|use|we|you|answer|reply|give|feel|add)",
        "",
        text,
        flags=re.IGNORECASE,
    )
    return text.strip().strip("，,;；:： ").rstrip("。.!！~～…").rstrip("，,;； ")
