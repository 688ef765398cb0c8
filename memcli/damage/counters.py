"""The file that holds the last number given out, against the numbers in the journal."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class, WorkspaceSnapshot
from memcli.damage.journals import EITHER, journal_of, numbers, restart
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "cursor-behind",
        "the counter is behind the journal",
        "error",
        "safe",
        looks="The counter holds a smaller number than the last entry: a crash between two writes, or an old copy.",
        does="Sets it to the largest number in the journal.",
    ),
    Class(
        "cursor-garbage",
        "a cursor that is no number",
        "error",
        "safe",
        looks="A cursor file is empty or holds something that the agent cannot read as a number.",
        does="Sets the counter to the largest number in the journal; Dream's position only with --redream or --skip.",
        lost="For Dream's position: how far it had come.",
        flag=EITHER,
    ),
    Class(
        "cursor-ahead",
        "the counter is ahead of the journal",
        "info",
        "report",
        looks="The counter holds a larger number than any entry.",
        does="Nothing: that only leaves a gap in the numbers, and may be what is left of entries that were lost.",
    ),
)
BEHIND, GARBAGE, AHEAD = CLASSES
SHOWN = 40


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """At most one finding for each cursor file."""
    for place, journal in enumerate(snapshot.journals):
        counter = journal.allocated
        known = numbers(snapshot, journal)
        if counter is not None and known is not None and not counter.dialect:
            largest = journal.reset if known.largest is None else known.largest
            reused = journal.upcoming is not None and journal.upcoming <= largest
            data = {"journal": place, "largest": largest, "next": journal.upcoming}
            again = f" The next entry would get the number {journal.upcoming}, which is taken." if reused else ""
            if counter.text is not None and counter.number is None:
                message = f"It holds {counter.text[:SHOWN]!r}, which is no number.{again}"
                yield GARBAGE.finding(
                    counter.path, message, severity="error" if reused else "warning", flag="", data=data
                )
            elif counter.number is None and reused:
                message = f"It is missing, and the journal has entries up to {largest}.{again}"
                yield BEHIND.finding(counter.path, message, data=data)
            elif counter.number is not None and counter.number < largest:
                message = f"It holds {counter.number}, and the journal has entries up to {largest}.{again}"
                yield BEHIND.finding(counter.path, message, severity="error" if reused else "info", data=data)
            elif counter.number is not None and counter.number > largest:
                ahead = count(counter.number - largest, "number")
                message = f"It holds {counter.number}, and the journal ends at {largest}: {ahead} will be left out."
                yield AHEAD.finding(counter.path, message, data=data)
        position = journal.processed
        if position is not None and position.text is not None and not position.dialect:
            number = position.number
            if number is None or number < 0:
                what = "which is no number" if number is None else "less than nothing"
                message = f"It holds {position.text[:SHOWN]!r}, {what}: what Dream has read is not known any more."
                data = {"journal": place, "position": True}
                yield GARBAGE.finding(position.path, message, severity="warning", repair="flag", flag=EITHER, data=data)


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Write the counter, or Dream's position where a flag says where to."""
    journal = journal_of(snapshot, finding.data["journal"])
    if finding.data.get("position"):
        text = restart(snapshot, journal)
        return (
            [Action("write-position", journal.processed.path, finding.code, text)] if journal.processed and text else []
        )
    if finding.repair != "safe" or journal.allocated is None:
        return []
    return [Action("write-text", journal.allocated.path, finding.code, str(finding.data["largest"]))]
