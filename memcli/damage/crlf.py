"""Lines that end in CR LF."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.converting import LIMIT
from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "bytes"
CLASSES = (
    Class(
        "crlf",
        "lines that end in CR LF",
        "info",
        "flag",
        looks="Lines end as Windows ends them. JSON takes the CR for a blank.",
        does="Nothing by itself; --eol lf takes the CRs out.",
        flag="--eol",
    ),
)


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """One finding for the file."""
    screening = snapshot.screening
    if screening and screening.crlf:
        lines = f"{screening.crlf:,} of {screening.lines:,} lines end in CR LF."
        repair = "report" if snapshot.size > LIMIT else "flag"
        yield CLASSES[0].finding(snapshot.path, lines, repair=repair, data={"lines": screening.crlf})


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take out every CR that stands before a LF, when the option `eol` asks for it."""
    if snapshot.context.options.get("eol") != "lf" or finding.repair == "report":
        return []
    whole = snapshot.context.read(0, snapshot.size)
    edits: list[Edit | Action] = []
    place = whole.find(b"\r\n")
    while place >= 0:
        edits.append(Edit(place, 1, b"", finding.code))
        place = whole.find(b"\r\n", place + 1)
    return edits
