"""A UTF-8 byte order mark."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "bom",
        "a UTF-8 byte order mark",
        "error",
        "safe",
        looks="The bytes EF BB BF stand before a record: an editor or a shell on Windows put them there.",
        does="Takes those three bytes out.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "bom":
        where = "the file" if snapshot.line.offset == 0 else "a line"
        message = f"A byte order mark ({count(3, 'byte')}) begins {where}."
        yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take it out."""
    return [*snapshot.edits(finding.code)]
