"""How far Dream has come, against the journal."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class, JournalState, WorkspaceSnapshot
from memcli.damage.journals import EITHER, Numbers, is_numbered, journal_of, numbers, restart
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "dream-cursor-ahead",
        "Dream's position is beyond the journal",
        "error",
        "flag",
        looks="The position is larger than any number, or any count of records, that the journal can come to next.",
        does="Nothing by itself; --redream sets it to the start of what is left, --skip to its end.",
        lost="Nothing; with --redream what was dreamt already is dreamt again.",
        flag=EITHER,
    ),
    Class(
        "dream-backlog",
        "entries that were never dreamt",
        "info",
        "report",
        looks="The journal goes on behind Dream's position.",
        does="Nothing; tells how many entries wait.",
    ),
)
AHEAD, BACKLOG = CLASSES


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """At most one finding for each position."""
    for place, journal in enumerate(snapshot.journals):
        position, known = journal.processed, numbers(snapshot, journal)
        if position is None or position.used is None or position.dialect or known is None:
            continue
        ahead = 0 if position.number is None else position.number - _end(journal, known)
        if ahead > 0:
            yield _ahead(place, journal, known, position.path, position.used, ahead)
            continue
        waiting = _waiting(journal, known, position.used)
        if waiting:
            verb = "waits" if waiting == 1 else "wait"
            message = f"{count(waiting, 'entry') if waiting == 1 else f'{waiting:,} entries'} {verb} for Dream."
            yield BACKLOG.finding(position.path, message, data={"journal": place, "entries": waiting})


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Set the position where the flag says."""
    journal = journal_of(snapshot, finding.data["journal"])
    text = restart(snapshot, journal) if finding.code == AHEAD.code else None
    return [Action("write-position", journal.processed.path, finding.code, text)] if journal.processed and text else []


def _end(journal: JournalState, known: Numbers) -> int:
    """The largest position that is right: all that is there, or was given out, has been read."""
    if journal.counts == "records":
        return known.records
    given = journal.reset if journal.upcoming is None else journal.upcoming - 1
    return max(given, journal.reset if known.largest is None else known.largest)


def _ahead(place: int, journal: JournalState, known: Numbers, path: str, used: int, ahead: int) -> Finding:
    end = _end(journal, known)
    if journal.counts == "records":
        there = f"the journal has {count(known.records, 'record')}"
        hidden = f"the next {count(ahead, 'record')}"
    else:
        there = "the journal has no entries" if known.largest is None else f"the numbers have come to {end}"
        hidden = f"the next {count(ahead, 'number')}"
    message = f"It holds {used}, but {there}: Dream finds nothing to do, and {hidden} will never be dreamt."
    return AHEAD.finding(path, message, data={"journal": place, "ahead": ahead, "end": end})


def _waiting(journal: JournalState, known: Numbers, used: int) -> int:
    if journal.counts == "records":
        return max(0, known.records - max(0, used))
    if journal.snapshot is None:
        return 0
    facts = journal.snapshot.facts
    return sum(1 for number, flag in zip(facts.ids, facts.flags, strict=True) if number > used and is_numbered(flag))
