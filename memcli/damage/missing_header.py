"""A session file whose first line is not the header that belongs there."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.headers import rebuilt
from memcli.damage.snapshots import HeaderSnapshot
from memcli.damage.telling import excerpt
from memcli.model import Action, Edit, Finding

SCOPE = "header"
CLASSES = (
    Class(
        "missing-header",
        "the first line is a message",
        "error",
        "safe",
        looks="The file begins with a row: the header was cut off, or a tool rewrote the file without it.",
        does="Puts a header in front, built from the rows: the key that they agree on, their first and last time.",
        lost="A title, and whatever else only the header knew.",
    ),
    Class(
        "corrupt-header",
        "the first line cannot be read",
        "error",
        "safe",
        looks="The line where the header belongs does not parse, and is no row either.",
        does="Builds it anew from the rows, with the members of the old line that are whole; that line goes to quarantine.",
        lost="A title, and whatever else only the header knew, as far as it cannot be read any more.",
    ),
)
MISSING, CORRUPT = CLASSES


def detect(snapshot: HeaderSnapshot) -> Iterator[Finding]:
    """One finding when there is no header, at the top or further down."""
    first = snapshot.first
    if snapshot.headers or snapshot.strays or first is None or first.holds_header() or _is_nothing(snapshot):
        return
    place = {"line": first.line.number, "offset": first.line.offset}
    if not _is_torn_header(snapshot):
        found = rebuilt(snapshot)
        message = f"There is no header: the first line is a row. {found.said}"
        repair = "report" if found.text is None else "safe"
        yield MISSING.finding(snapshot.path, message, repair=repair, length=0, **place)
        return
    found = rebuilt(snapshot, first.line.raw or b"")
    message = f"The header cannot be read: {excerpt(first)} {found.said}"
    repair = "report" if found.text is None or first.line.raw is None else "safe"
    yield CORRUPT.finding(snapshot.path, message, repair=repair, length=first.judged.length, **place)


def mend(snapshot: HeaderSnapshot, finding: Finding) -> list[Edit | Action]:
    """Put the header in front, or in the place of the line that cannot be read."""
    first = snapshot.first
    if first is None or finding.repair == "report":
        return []
    if finding.code == MISSING.code:
        text = rebuilt(snapshot).text or b""
        return [Edit(first.line.offset, 0, text + b"\n", finding.code)]
    text = rebuilt(snapshot, first.line.raw or b"").text or b""
    line = first.line
    return [Edit(line.offset, line.length + line.ended, text + b"\n", finding.code, -1, first.row)]


def _is_nothing(snapshot: HeaderSnapshot) -> bool:
    """Whether the whole file is one line of NUL: a header alone would only hide that."""
    first = snapshot.first
    raw = first.line.raw if first else None
    return raw is not None and len(raw) == snapshot.context.size and not raw.strip(b"\0")


def _is_torn_header(snapshot: HeaderSnapshot) -> bool:
    """Whether the line in the header's place is no row and no torn row: then it is what is left of a header."""
    first = snapshot.first
    if first is None or first.judged.records:
        return False
    raw = first.line.raw
    return raw is None or b'"role"' not in raw
