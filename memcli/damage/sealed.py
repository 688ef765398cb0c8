"""What was changed in a file since its lines were sealed."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "bytes"
CLASSES = (
    Class(
        "seal-appended",
        "rows were added since the seal",
        "info",
        "report",
        looks="Everything that was sealed is there, and more rows follow: the chat went on.",
        does="Nothing; `memcli seal` takes the new rows in.",
    ),
    Class(
        "seal-trimmed",
        "the oldest rows were dropped since the seal",
        "info",
        "report",
        looks="The first rows that were sealed are gone, all others are there: the agent keeps only so many.",
        does="Nothing; how many rows are gone is told.",
        lost="The rows that were dropped, unless an archive or a backup has them.",
    ),
)
APPENDED, TRIMMED = CLASSES
CHANGED = Class(
    "checksum-mismatch",
    "rows differ from the seal",
    "error",
    "report",
    looks="Rows that were sealed are changed or gone, in the middle of the file.",
    does="Nothing; a repair of memcli is told apart by `undo --list`.",
)
NAMED = 20


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """A finding for each way in which the rows differ from the seal."""
    seal = snapshot.seal
    if seal is None:
        return
    when = f"since the seal of {seal.sealed_at}"
    if seal.trimmed:
        message = f"The oldest {count(seal.trimmed, 'row')} were dropped {when}."
        yield TRIMMED.finding(snapshot.path, message, data={"rows": seal.trimmed})
    if seal.appended:
        message = f"{count(seal.appended, 'row')} came in {when}."
        yield APPENDED.finding(snapshot.path, message, data={"rows": seal.appended})
    if seal.gone or seal.changed:
        places = ", ".join(map(str, seal.changed[:NAMED]))
        more = f" and {len(seal.changed) - NAMED:,} more" if len(seal.changed) > NAMED else ""
        where = f" Lines that are not as sealed: {places}{more}." if seal.changed else ""
        message = f"Changed inside {when}: {count(seal.gone, 'sealed row')} cannot be found any more.{where}"
        line = seal.changed[0] if seal.changed else None
        data = {"kind": "seal", "gone": seal.gone, "lines": list(seal.changed[:NAMED])}
        yield CHANGED.finding(snapshot.path, message, line=line, data=data)


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []
