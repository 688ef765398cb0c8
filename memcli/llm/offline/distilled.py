"""Facts that somebody distilled before: lines of an entry that say how long they hold, `- [permanent] The user ...`.

Consolidations of agents leave such lines in journals. They are facts already, told of the user in the third person, so that the
rules for speech are not for them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 300


class Fact(NamedTuple):
    """One of them: `text` without its mark, `line` as it stands in the entry."""

    text: str
    line: str
    layer: str
    category: str


def told(content: str) -> str:
    """The entry with facts that begin with "The user" as if they began with "User": where somebody pasted it, that gives an order
    to the memory away, and here it is how every fact about the user begins."""
    return _ABOUT.sub(r"\1", content) if "- [" in content else content


def split(content: str) -> tuple[str, list[Fact]]:
    """The entry without such lines, and the facts in them; what holds only for a while, or was meant to be left out, is none."""
    if "- [" not in content:
        return _third_person(content) if _SPEAKER.search(content) is None else (content, [])
    rest, facts = [], []
    for line in content.split("\n"):
        found = _LINE.match(line)
        if found is None:
            rest.append(line)
        elif found[1].lower() in _LASTING and 0 < len(found[2].strip()) <= LONGEST:
            facts.append(_fact(found[2].strip(), line.strip()))
    return "\n".join(rest), facts


def _third_person(content: str) -> tuple[str, list[Fact]]:
    """The same of an entry that nobody speaks in: its lines about the user, who is told of."""
    rest, facts = [], []
    for line in content.split("\n"):
        text = line.strip().removeprefix("- ").strip()
        if _OF_USER.match(text) and not text.endswith(("?", "？")) and len(text) <= LONGEST:
            facts.append(_fact(text.rstrip("."), line.strip()))
        else:
            rest.append(line)
    return "\n".join(rest), facts


def _fact(text: str, line: str) -> Fact:
    layer = "user" if _USER.search(text) else "project"
    category = next((name for name, pattern in _CATEGORIES if pattern.search(text)), "fact")
    return Fact(text, line, layer, category)


_LINE = re.compile(r"\s*- \[(permanent|durable|correction|ephemeral|skip)\]\s*(.*)", re.IGNORECASE)
_SPEAKER = re.compile(r"^\[(?:user|assistant|tool|system)\]", re.IGNORECASE | re.MULTILINE)
_OF_USER = re.compile(
    r"user (?:is|has|prefers?|likes?|dislikes?|uses?|works?|lives?|speaks?|wants? (?:all|every|answers|replies)|never|always)\b"
    r"|用户(?:是|喜欢|偏好|使用|习惯|在|住|总是|从不|不喜欢)",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"^(\s*- \[(?:permanent|durable|correction)\]\s*)the (?=user\b)", re.IGNORECASE | re.MULTILINE)
_LASTING = frozenset({"permanent", "durable", "correction"})
_USER = re.compile(r"^(?:the )?user(?:'s|s'|\b)|^用户|^(?:he|she|they) (?:is|prefers?|likes?|wants?)\b", re.IGNORECASE)
_CATEGORIES = (
    (
        "decision",
        re.compile(
            r"\b(?:decided|decision|chose|chosen|agreed|settled|switched|migrated)\b|决定|选定|定了|改用|换成", re.I
        ),
    ),
    (
        "preference",
        re.compile(
            r"\b(?:prefers?|preferred|likes?|dislikes?|wants?|hates?|rather)\b|喜欢|偏好|讨厌|希望|更愿意", re.I
        ),
    ),
    (
        "pattern",
        re.compile(
            r"\b(?:always|usually|often|tends? to|whenever|every time|each time|regularly)\b|总是|每次|经常|通常|一旦",
            re.I,
        ),
    ),
)
