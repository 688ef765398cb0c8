"""Lines that are too much for safe reading."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "oversize-line",
        "a line of over 64 MiB, or of far too many values",
        "warning",
        "report",
        looks="One line is so long, or holds so many values, that reading it could take all memory.",
        does="Passes over it, with bounded memory.",
    ),
    Class(
        "too-deep",
        "nested over 512 levels",
        "warning",
        "report",
        looks="Arrays or objects lie in one another deeper than many readers can go.",
        does="Nothing; it is read only where that is safe.",
    ),
    Class(
        "huge-number",
        "a number of thousands of digits",
        "warning",
        "report",
        looks="An integer has over 4,300 digits: Python refuses to read it, others round it.",
        does="Nothing: the bytes are kept as they are.",
    ),
    Class(
        "damaged-throughout",
        "more damaged lines than are judged one by one",
        "error",
        "report",
        looks="Tens of thousands of lines are no records: it is no file of records at all, or something went over all of it.",
        does="verify judges the first 20,000 and counts the others, and does not hold rows against each other; repair mends up "
        "to 100,000, and leaves a file with more as it is.",
    ),
)
OVERSIZE, DEEP, HUGE, THROUGHOUT = CLASSES


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    code = snapshot.judged.code
    if code == "oversize-line":
        length = count(snapshot.line.length, "byte")
        why = "was passed over" if snapshot.line.raw is None else "holds too many values to be read safely"
        yield OVERSIZE.finding(snapshot.path, f"A line of {length} {why}.", **snapshot.place)
    elif code == "too-deep":
        yield DEEP.finding(snapshot.path, "Nested over 512 levels deep.", **snapshot.place)
    elif code == "huge-number":
        yield HUGE.finding(snapshot.path, "Holds a number of thousands of digits.", **snapshot.place)


def throughout(path: str, lines: int) -> Finding:
    """The finding for so many lines that were only counted."""
    message = f"{count(lines, 'more line')} of it hold no record: too many to be judged one by one."
    return THROUGHOUT.finding(path, message, data={"lines": lines})


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []
