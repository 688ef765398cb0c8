"""A record inside a record: two writers at once."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "interleaved-lines",
        "a record inside another record",
        "error",
        "safe",
        looks="Two writers wrote at once: one whole record stands in the middle of another, which goes on behind it.",
        does="Takes the inner record out and puts it on the next line; both keep their bytes.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "interleaved-lines":
        inner = count(verdict.records - 1, "record")
        message = f"A record with {inner} written into its middle; all of them are whole."
        yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take them apart."""
    return [*snapshot.edits(finding.code)]
