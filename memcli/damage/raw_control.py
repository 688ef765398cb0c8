"""Control characters that JSON does not allow inside strings, and records over several lines, for whoever sees them."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "raw-control",
        "a raw control character inside a string",
        "error",
        "safe",
        looks="A tab, an ESC, a newline ... stands in a string as it is; with newlines, one record takes several lines.",
        does="Writes just that character as the escape that JSON asks for.",
    ),
    Class(
        "split-record",
        "one record over several lines",
        "error",
        "safe",
        looks="Newlines stand between the members of a record: someone formatted it by hand.",
        does="Takes the newlines out; every member keeps its bytes.",
    ),
    Class(
        "cr-in-record",
        "a CR alone between the members of a record",
        "error",
        "safe",
        looks="A carriage return stands between the members of a record. JSON takes it for a blank, but the agent reads files in "
        "Python's text mode, which ends the line there and leaves two halves. Not told for agents that take it for a blank.",
        does="Takes those CRs out; every member keeps its bytes.",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line, or for all lines that one record takes."""
    verdict = snapshot.judged
    over = f" The record takes {verdict.lines} lines." if verdict.lines > 1 else ""
    if verdict.code == "raw-control":
        message = f"{count(_characters(snapshot), 'raw control character')} inside strings.{over}"
        yield CLASSES[0].finding(snapshot.path, message, data={"lines": verdict.lines}, **snapshot.place)
    elif verdict.code == "split-record":
        message = f"One record takes {verdict.lines} lines."
        yield CLASSES[1].finding(snapshot.path, message, data={"lines": verdict.lines}, **snapshot.place)
    elif verdict.code == "cr-in-record":
        line = (snapshot.line.raw or b"").strip(b" \t\r")
        number = line.count(b"\r")
        what = "A CR alone stands" if number == 1 else f"{number:,} CRs alone stand"
        message = f"{what} between the members of this record: a reader in text mode ends the line there."
        yield CLASSES[2].finding(snapshot.path, message, **snapshot.place)


def _characters(snapshot: LineSnapshot) -> int:
    cuts = snapshot.judged.cuts
    if len(cuts) == 1 and cuts[0][1] - cuts[0][0] > 1:  # so many that they are one cut
        return sum(byte < 0x20 for byte in snapshot.line.raw or b"")
    return len(cuts)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Escape the characters, join the lines, take out the CRs."""
    return [*snapshot.edits(finding.code)]
