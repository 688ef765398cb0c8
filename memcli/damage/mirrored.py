"""A file that was written from a copy that holds less than the agent's own file did."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from memcli.damage.entries import is_message
from memcli.damage.framework import Class, RowsSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "rows"
CLASSES = (
    Class(
        "overwritten-by-mirror",
        "written over from a copy that holds less",
        "warning",
        "report",
        looks="Header and rows bear the marks of a copy that came back from a mirror: no calls, no reasoning, new times.",
        does="Nothing; what the copy never held can only come from a backup or another device.",
        lost="What the mirror has no place for, and rows that had not been sent to it.",
    ),
)
SAMPLE = 400
"""So many records are shown to the rule: each is read again."""


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """At most one finding, by the rule that the format has for it."""
    rule = snapshot.rules.mirrored
    if rule is None or not snapshot.header or snapshot.header_line is None:
        return
    flags = snapshot.facts.flags
    entries = islice((entry for entry, flag in enumerate(flags) if is_message(flag)), SAMPLE)
    why = rule(snapshot.header, map(snapshot.value, entries))
    if why:
        line = snapshot.header_line
        message = f"This file looks as if a mirror's copy had been written over it: {why}."
        yield CLASSES[0].finding(snapshot.path, message, line=line.number, offset=line.offset, length=line.length)


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []
