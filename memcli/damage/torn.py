"""Records that were cut."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import fragment_words, members
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "torn-tail",
        "the last record was cut",
        "error",
        "safe",
        looks="The file ends inside a record, without a newline: a crash, or a full disk, in the middle of a write.",
        does="Moves the fragment to quarantine, and says which record it was where that can be read.",
        lost="The record that was cut.",
    ),
    Class(
        "torn-line",
        "a record that was cut, with a newline behind it",
        "error",
        "safe",
        looks="A line is the beginning, or the end, of a record; the rest of it is nowhere.",
        does="Moves the fragment to quarantine, and says which record it was where that can be read.",
        lost="The record that was cut.",
    ),
)
TAIL, LINE = CLASSES


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code != "torn-line":
        return
    one, what = (LINE, "This record was cut.") if snapshot.line.ended else (TAIL, "The last record was cut.")
    if verdict.detail == "head":
        what = "The beginning of this record is gone."
    message = what + fragment_words(snapshot)
    yield one.finding(snapshot.path, message, data=members(snapshot), **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the fragment away."""
    return [*snapshot.edits(finding.code)]
