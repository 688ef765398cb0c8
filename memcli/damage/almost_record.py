"""Records that lack, or have, one mark of punctuation too many."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "missing-brace",
        "the closing brace is missing",
        "error",
        "safe",
        looks="A record ends with its last member whole, the closing brackets are gone.",
        does="Adds them, if other records of the file have exactly these members and none has more behind them.",
    ),
    Class(
        "trailing-comma",
        "a comma before a closing bracket",
        "error",
        "safe",
        looks="A comma stands before a closing brace or bracket: a record edited by hand.",
        does="Takes the comma out, if the record then looks like others of the file.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "missing-brace":
        missing = verdict.cuts[0][2].decode()
        message = f"The record is whole but for {missing!r} at its end."
        yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)
    elif verdict.code == "trailing-comma":
        message = f"{count(len(verdict.cuts), 'comma')} too many before a closing bracket."
        yield CLASSES[1].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Add the brackets, take the commas out."""
    return [*snapshot.edits(finding.code)]
