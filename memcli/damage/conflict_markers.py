"""Both sides of a merge in one file, between markers."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "conflict-markers",
        "<<<<<<< ======= >>>>>>> in the file",
        "error",
        "safe",
        looks="git could not merge two versions of the file and wrote both into it, between markers.",
        does="Takes the markers out when no row of one side is another version of a row of the other; each row stays once.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the region between the markers."""
    verdict = snapshot.judged
    if verdict.code != "conflict-markers":
        return
    lines = count(verdict.lines, "line")
    if verdict.detail:
        message = f"Two versions of {lines} between merge markers; they hold different versions of a row, or no rows."
        yield CLASSES[0].finding(snapshot.path, message, repair="report", **snapshot.place)
        return
    message = f"Merge markers around {lines}; {count(verdict.records, 'record')} of both sides can stand together."
    yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take out the markers, and second copies."""
    return [] if finding.repair == "report" else [*snapshot.edits(finding.code)]
