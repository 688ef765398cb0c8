"""A file of 0 bytes."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "whole"
CLASSES = (
    Class(
        "empty-file",
        "0 bytes",
        "error",
        "report",
        looks="The file is there and holds nothing: often a power loss after a rename without fsync.",
        does="Nothing: a header alone would hide that rows are gone. Look at undo, temporary files, copies, the mirror.",
        lost="What the file held, unless a copy is found.",
    ),
)


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """One finding for the file. An empty journal is what agents begin with; its cursors tell whether it held something."""
    if not snapshot.size and snapshot.context.kind == "session":
        message = "The file is empty: what it held is gone from here. Look for a temporary file or a copy beside it."
        yield CLASSES[0].finding(snapshot.path, message, offset=0, length=0)


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []
