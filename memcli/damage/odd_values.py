"""Records that some readers take and others do not."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import excerpt
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "nan",
        "NaN or Infinity",
        "error",
        "report",
        looks="NaN, Infinity or a number beyond all bounds: Python writes them, JSON does not have them.",
        does="Nothing: what the number should have been is not known.",
    ),
    Class(
        "duplicate-keys",
        "an object names a member twice",
        "warning",
        "report",
        looks="The same name stands twice in one object; most readers take the last one, some refuse.",
        does="Nothing: which of them was meant is not known.",
    ),
    Class(
        "lone-surrogate",
        "half an emoji",
        "warning",
        "report",
        looks=r"An escape such as \ud83d without its other half: JavaScript cuts text there.",
        does="Nothing: the bytes are kept as they are.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    code = snapshot.judged.code
    for one in CLASSES:
        if one.code == code:
            yield one.finding(snapshot.path, f"{_SAID[code]}: {excerpt(snapshot)}", **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []


_SAID = {
    "nan": "A number that JSON does not have",
    "duplicate-keys": "An object names a member twice",
    "lone-surrogate": "Half of a surrogate pair",
}
