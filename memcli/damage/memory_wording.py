"""Lines of memory files that are no memory: what only holds a place, and pieces of prompts and conversations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memcli.damage.framework import Class, TextSnapshot
from memcli.damage.remembered import Remembered, listed, plain, read
from memcli.model import Action, Edit, Finding

SCOPE = "text"
CLASSES = (
    Class(
        "memory-echo",
        "a piece of a prompt or a conversation in memory",
        "info",
        "report",
        looks="A line is one that the agent itself wrote into a prompt, a log or a summary, and that came back as if it were a "
        "fact.",
        does="Nothing: only words that the agent is known to write are taken for that.",
    ),
    Class(
        "memory-placeholder",
        "lines that only hold a place",
        "info",
        "report",
        looks="A line of the agent's template that nobody filled in; a line that says that there is nothing to say; or one that "
        "stands for text that a model did not repeat, as '[rest unchanged]'.",
        does="Nothing; where a model left text out, older versions of the file may have it.",
        lost="Nothing but what '[rest unchanged]' and its like stand for.",
    ),
)
ECHO, PLACEHOLDER = CLASSES
LISTED = 100
_ELISION = re.compile(
    r"(?:\[|\(|（|【|<!--|\.\.\.|…)[\s.…（(]*"
    r"(?:(?:the\s+)?(?:rest|remainder|remaining|existing|previous|other|all\s+other)\b[\w\s']{0,40}\b"
    r"(?:unchanged|as\s+before|omitted|the\s+same|same\s+as\s+(?:before|above)|stays?\s+as\s+is|kept\s+as\s+is)"
    r"|(?:content|file|sections?|text)\s+(?:unchanged|omitted|truncated)|unchanged|omitted\s+for\s+brevity"
    r"|(?:其余|其他|其它|剩余|余下|原有|现有|以下|后续|以上)(?:的)?(?:内容|部分|章节|文字|条目|信息)?"
    r"(?:保持|均|都)?(?:不变|省略|略|同上|同前|保留不变)|(?:内容|此处)(?:保持不变|省略|不变)|略)"
    r"[\s.…）)]*(?:\]|】|-->)?\.?",
    re.IGNORECASE,
)


def detect(snapshot: TextSnapshot) -> Iterator[Finding]:
    """A finding for each kind of such lines."""
    rules = snapshot.rules
    if rules is None:
        return
    entries, _ = read(snapshot)
    for pattern, what in rules.echoes:
        echo = re.compile(pattern, re.IGNORECASE)
        lines = [one for one in entries if echo.search(one.text)]
        if lines:
            yield _finding(ECHO, snapshot, lines, f"{_many(lines)} {what}", "echo")
    unfilled = {plain(one) for one in rules.unfilled}
    template = {plain(one) for one in rules.template} | unfilled
    empty = [one for one in entries if one.plain in unfilled]
    untouched = all(one.plain in template for one in entries)
    if empty and not (untouched and rules.skipped):
        rest = "nothing else is in the file" if untouched else "of the agent's template that nobody filled in"
        message = f"{_many(empty)} a placeholder; {rest}" if untouched else f"{_many(empty)} a placeholder {rest}"
        yield _finding(PLACEHOLDER, snapshot, empty, message, "template")
    if rules.fillers:
        filler = re.compile(rules.fillers, re.IGNORECASE)
        said = [one for one in entries if not one.leads and not one.subject and one.plain not in template]
        idle = [one for one in said if filler.search(one.text)]
        if idle:
            message = f"{_many(idle)} a sentence that says that there is nothing to say"
            yield _finding(PLACEHOLDER, snapshot, idle, message, "filler")
    for one in _elided(snapshot, entries):
        message = "The line stands for text that was left out when the file was written anew"
        yield _finding(PLACEHOLDER, snapshot, [one], message, "elision")


def mend(snapshot: TextSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def _elided(snapshot: TextSnapshot, entries: Sequence[Remembered]) -> list[Remembered]:
    found = [one for one in entries if _ELISION.fullmatch(one.text)]
    return found[:LISTED]


def _finding(kind: Class, snapshot: TextSnapshot, lines: Sequence[Remembered], message: str, why: str) -> Finding:
    first = lines[0]
    where = f": lines {listed([one.number for one in lines])}." if len(lines) > 1 else "."
    return kind.finding(
        snapshot.path,
        message + where,
        line=first.number,
        offset=first.offset,
        length=first.length,
        data={"kind": why, "lines": [one.number for one in lines[:LISTED]], "times": len(lines)},
    )


def _many(lines: Sequence[Remembered]) -> str:
    return "The line is" if len(lines) == 1 else f"{len(lines):,} lines are each"
