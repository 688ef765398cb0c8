"""The newline that should end the file."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "missing-final-newline",
        "the last record is whole, its newline is missing",
        "warning",
        "safe",
        looks="The file ends right behind a record: an editor, a copy, or a writer that was stopped.",
        does="Adds the newline.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding, beside whatever else is wrong with the last line."""
    verdict = snapshot.judged
    if snapshot.line.ended or not verdict.records or not snapshot.line.raw or verdict.code == "not-a-record":
        return
    message = "No newline ends the file: whatever is appended next is glued to its last record."
    if verdict.records > 1:
        message += f" {count(verdict.records, 'record')} are on that line."
    place = {"line": snapshot.line.number, "row": snapshot.row or None}
    yield CLASSES[0].finding(snapshot.path, message, offset=snapshot.line.offset + verdict.length, length=0, **place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Add it."""
    return [Edit(snapshot.line.offset + snapshot.judged.length, 0, b"\n", finding.code)]
