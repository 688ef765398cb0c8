"""A checksum that a writer put after each record."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import excerpt
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "checksum-mismatch",
        "a checksum does not match",
        "error",
        "report",
        looks="A line differs from what was sealed, or the CRC-32 that stands behind a record is not that of the record.",
        does="Nothing: which of the two is wrong is not known; the record is kept as long as it parses.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for a line of digits in a file where such lines are the CRC-32 of the line before them."""
    if snapshot.judged.code == "checksum-mismatch":
        message = (
            f"The record before this line does not have the CRC-32 {excerpt(snapshot)}: one of the two was changed."
        )
        yield CLASSES[0].finding(snapshot.path, message, data={"kind": "crc32"}, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []
