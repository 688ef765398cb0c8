"""A journal entry as what was said in it: turns of user and assistant, their sentences, and the clauses of a sentence.

What was not said but pasted (code, logs, quotations) is left out here, so that nothing later can take it for speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple


class Sentence(NamedTuple):
    """One sentence as it stands in the entry. `reply` is how the assistant's answer to it begins ("" where none), `under` the
    line above the list in which it stands."""

    cursor: int
    turn: int
    role: str
    text: str
    reply: str
    under: str = ""


CJK = re.compile(r"[\u3400-\u9fff]")

_TURN = re.compile(r"^\[(user|assistant|tool|system)\][ \t]?", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_LOG = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG"
    r"|FATAL|TRACE)\b|Traceback|File \"|at [\w.$<>]+\(|"
    r"\w+(?:Error|Exception)\b|[$>#%] |>>>|\+\+\+|---|@@|diff --git|[{}<]|\|)|^(?: {4}|\t)\S|[;{}]\s*$"
)
_POINT = re.compile(r"^\s*(?:[-*•·]|\(?\d{1,2}[.)、）]|[①-⑳])\s*(?=\S)")
_TOLD = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|decisions?|agreements?|preferences?|agreed|decided|remember|for the record"
    r"|keep in mind|notes? for you|things to know|my setup|our setup)\b.{0,60}[:：]\s*$"
    r"|(?:约定|规矩|规范|规则|规定|决定|几[条点件个]|[两三四五]条|如下|定了|记一?下|记住|注意|情况).{0,20}[:：]\s*$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:explain|summari[sz]e|review|check|fix|look|read|error|log|output|page|article|says?|what|why|translate"
    r"|proofread|their|they)\b"
    r"|解释|总结|看[看下]|检查|翻译|润色|报错|日志|输出|文章|网页|什么|啥|帮|他们|别人",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“([^”]*)(?:”|$)|「([^」]*)(?:」|$)|『([^』]*)(?:』|$)|(?<!\w)\"([^\"]*)(?:\"|$)")
_END = re.compile(r"[。！？!?；;…]+[”\"」）)]*\s*|(?<=[^\s.])\.+(?:[\"')]*\s+(?=\S)|[\"')]*$)|\n+")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|vs|etc|cf|approx|fig|dr|mr|ms|st|inc|al)\.$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[，,]\s*(?=[\u3400-\u9fff])|，\s*|(?<=[\u3400-\u9fff]), ?"
    r"|, so (?!that\b|far\b|on\b|much\b|many\b|what\b|forth\b)"
    r"| so (?=(?:please|pls|plz|i|i'm|im|we|you|keep|don't|do|give|use|add|answer|reply|feel|explain|show|write|bold|mark"
    r"|highlight|always|never|no|spell|go|ask|put|translate|define|convert|mention|include|quote|check|remind|warn|assume|skip|avoid|stick|speak|talk|tell|spare|stop|leave|make)\b)"
    r"|,? but (?=(?:please|pls|plz|i|i'm|keep|don't|do|give|use|add|answer|reply|feel|we|you)\b)"
    r"|, (?=(?:please|pls|and i|i'm|i|we)\b|(?:and )?(?:answer|reply|write|keep|give|show|explain|use|don't|never|always)\b)"
    r"| [-–—]+ ",
    re.IGNORECASE,
)
_LONG = 24
_NAME = re.compile(r"^[^\s，。！？,!?:：]*[\w>}][._/-]+[\w<{][^\s，。！？,!?:：]*$")


def sentences(cursor: int, content: str) -> Iterator[Sentence]:
    """The sentences of an entry in order, those of the assistant too; text without roles counts as the user's."""
    pieces = _TURN.split(_FENCE.sub(" ", content))
    turns = [("user", pieces[0])] if pieces[0].strip() else []
    turns += [(role.lower(), text) for role, text in zip(pieces[1::2], pieces[2::2], strict=True)]
    for place, (role, text) in enumerate(turns):
        if role not in ("user", "assistant"):
            continue
        after = turns[place + 1] if place + 1 < len(turns) else ("", "")
        reply = after[1].strip() if role == "user" and after[0] == "assistant" else ""
        for line, under in listed(text) or ((said(text), ""),):
            for sentence in split(line):
                yield Sentence(cursor, place, role, sentence, reply, under)


def listed(text: str) -> list[tuple[str, str]]:
    """The points of a list that a line announces as told, each with that line; nothing where what is below was pasted."""
    head, _, below = text.strip().partition("\n")
    points = [line for line in below.split("\n") if line.strip()]
    if not _TOLD.search(head) or _ASKED.search(head) or not points or not all(map(_POINT.match, points)):
        return []
    return [(said(_POINT.sub("", line)), head.strip()) for line in points]


def said(text: str) -> str:
    """What of a turn is speech: without logs, code and long quotations."""
    lines = text.strip().split("\n")
    kept = lines[:1]
    if len(lines) > 1 and lines[0].rstrip().endswith((":", "：")):
        pass  # what stands below is what it announces
    elif any(_LOG.search(line) for line in lines[1:]):
        pass  # a paste: where it ends cannot be known
    else:
        kept = lines
    return _QUOTED.sub(
        _quotation, "\n".join(line for line in kept if not _LOG.search(line) and line.lstrip()[:1] != ">")
    )


def split(text: str) -> Iterator[str]:
    """The sentences of a text, each with its closing mark."""
    start = 0
    for match in _END.finditer(text):
        if match[0][0] == "." and _SHORT.search(text[start : match.start() + 1]):
            continue
        sentence = text[start : match.end()].strip()
        start = match.end()
        if sentence:
            yield sentence
    if text[start:].strip():
        yield text[start:].strip()


def clauses(text: str) -> list[str]:
    """The clauses of a sentence with what joins them: put together again they are the sentence."""
    places = [
        0,
        *(
            match.end() if match[0].strip()[:1] in "，," and match[0].strip() in "，," else match.start()
            for match in _CLAUSE.finditer(text)
        ),
        len(text),
    ]
    return [text[start:end] for start, end in pairwise(places) if end > start]


def _quotation(match: re.Match[str]) -> str:
    """A short quotation is a name; a long one is what somebody else wrote."""
    inner = next((group for group in match.groups() if group is not None), "")
    weight = len(inner) + 2 * len(CJK.findall(inner))
    named = weight <= _LONG or (len(inner) <= 32 and _NAME.search(inner) is not None)
    return match[0] if named and not match[0][-1:].isspace() else " "
