"""A record in Python's notation."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import excerpt
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "python-repr",
        "a record in Python's notation",
        "error",
        "safe",
        looks="Single quotes, True, False, None: a program wrote str(record) instead of JSON.",
        does="Writes the same values as JSON; the line as it was goes to quarantine.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    if snapshot.judged.code == "python-repr":
        message = f"Python's notation instead of JSON: {excerpt(snapshot)}"
        yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Write it as JSON."""
    return [*snapshot.edits(finding.code)]
