"""A cut record, and a whole one behind it on the same line."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count, fragment_words, members
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "spliced-line",
        "a cut record, then a whole one on the same line",
        "error",
        "safe",
        looks="A record breaks off (a kill, a full disk), and the next one was written right behind it.",
        does="Keeps every whole record on a line of its own, byte for byte.",
        lost="The record that was cut; what is left of it goes to quarantine, with its id and role where they can be read.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "spliced-line":
        whole = count(verdict.records, "whole record")
        message = f"A record was cut and written over: {whole} can be kept.{fragment_words(snapshot)}"
        yield CLASSES[0].finding(snapshot.path, message, data=members(snapshot), **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Cut the fragment away."""
    return [*snapshot.edits(finding.code)]
