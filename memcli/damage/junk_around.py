"""Text before or behind a whole record."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count, excerpt
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "junk-around-record",
        "text before or behind a whole record",
        "error",
        "safe",
        looks="A log prefix, a stray character, a comma stands on the line of a whole record.",
        does="Keeps the record, byte for byte; the rest goes to quarantine.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "junk-around-record":
        junk = sum(end - start for start, end, _ in verdict.cuts)
        message = (
            f"{count(verdict.records, 'whole record')} and {count(junk, 'byte')} of something else: {excerpt(snapshot)}"
        )
        yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Cut the rest away."""
    return [*snapshot.edits(finding.code)]
