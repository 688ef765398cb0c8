"""Memory files of which the agent reads only the beginning, or that fill every prompt."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class, TextSnapshot
from memcli.model import Action, Edit, Finding
from memcli.storage.memory_rules import Limit

SCOPE = "text"
CLASSES = (
    Class(
        "memory-oversize",
        "a memory file that is too long",
        "info",
        "report",
        looks="A memory file has over 32,000 characters. Where the agent reads only so many of it and cuts off the rest, what "
        "counts is that number, and the severity is warning.",
        does="Nothing; it says how long the file is, and where it is cut.",
    ),
)
[LONG] = CLASSES
LARGE = 32_000
"""From so many characters on a file that goes into prompts whole is told of: some 8,000 tokens of English, more of Chinese."""


def detect(snapshot: TextSnapshot) -> Iterator[Finding]:
    """A finding for a file that is over the agent's limit, or large."""
    raw, rules = snapshot.raw, snapshot.rules
    if rules is None or raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    if len(raw) <= min(LARGE, rules.limit.characters if rules.limit else LARGE):
        return  # a character has at least one byte
    text = raw.decode("utf-8", "surrogateescape")
    characters = len(text)
    limit = rules.limit
    if limit is not None and (units := _units(text, limit)) > limit.characters:
        kept = _beginning(text, limit)
        offset = len(kept.encode("utf-8", "surrogateescape"))
        message = f"It has {units:,} characters, and {limit.reader} the first {limit.characters:,} only."
        yield LONG.finding(
            snapshot.path,
            message,
            severity="warning",
            line=kept.count("\n") + 1,
            offset=offset,
            length=len(raw) - offset,
            effect=limit.effect,
            data={"characters": units, "limit": limit.characters},
        )
    elif characters > LARGE:
        message = f"It has {characters:,} characters."
        yield LONG.finding(snapshot.path, message, data={"characters": characters, "limit": None})


def mend(snapshot: TextSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def _units(text: str, limit: Limit) -> int:
    return len(text) + (sum(character > "\uffff" for character in text) if limit.utf16 else 0)


def _beginning(text: str, limit: Limit) -> str:
    """What the limit leaves of a text; of a pair that it cuts apart nothing."""
    if not limit.utf16:
        return text[: limit.characters]
    units = 0
    for index, character in enumerate(text):
        units += 1 + (character > "\uffff")
        if units > limit.characters:
            return text[:index]
    return text
