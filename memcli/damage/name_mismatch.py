"""A file that is not called what the key in its header maps to."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import HeaderSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "header"
CLASSES = (
    Class(
        "name-mismatch",
        "the file's name is not what its key maps to",
        "error",
        "flag",
        looks="The header has one key, the file is named after another: it was renamed or copied by hand.",
        does="Nothing by itself; --reroute renames the file to what its key maps to, if nothing stands there.",
        flag="--reroute",
    ),
)


def detect(snapshot: HeaderSnapshot) -> Iterator[Finding]:
    """One finding for the header that counts."""
    headers = snapshot.headers
    key = (headers[-1] if snapshot.rules.last_wins else headers[0])[1].get("key") if headers else None
    expected = snapshot.expected(key) if isinstance(key, str) and key else None
    if expected is not None and expected != snapshot.name:
        message = f"The header's key is {key}: the agent looks for that session in {expected}, not here."
        data = {"key": key, "expected": expected}
        line = headers[0][0]
        yield CLASSES[0].finding(snapshot.path, message, repair="flag", line=line.number, data=data)


def mend(snapshot: HeaderSnapshot, finding: Finding) -> list[Edit | Action]:
    """Rename the file; whoever carries it out must refuse where another one stands there."""
    target = os.path.join(os.path.dirname(snapshot.path), str(finding.data["expected"]))
    return [Action("rename", snapshot.path, finding.code, target)]
