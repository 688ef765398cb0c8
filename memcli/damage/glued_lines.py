"""Whole records without newlines between them."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "glued-lines",
        "two or more whole records on one line",
        "error",
        "safe",
        looks="A newline is missing between records: the one before was written without, or a tool took it away.",
        does="Puts the newline between them; no other byte changes.",
    ),
    Class(
        "lone-cr",
        "records parted by CR instead of LF",
        "error",
        "safe",
        looks="A carriage return alone stands where a newline belongs (an old editor, a wrong conversion).",
        does="Puts LF in the place of each such CR; every record keeps its bytes.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    records = count(verdict.records, "whole record")
    if verdict.code == "glued-lines":
        yield CLASSES[0].finding(snapshot.path, f"{records} on one line, no newline between.", **snapshot.place)
    elif verdict.code == "lone-cr":
        yield CLASSES[1].finding(snapshot.path, f"{records} parted by CR alone.", **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Part them."""
    return [*snapshot.edits(finding.code)]
