"""What the classes of cursors share: the numbers of a journal's entries."""

from __future__ import annotations

from typing import NamedTuple

from memcli.damage.entries import is_message
from memcli.damage.framework import JournalState, WorkspaceSnapshot
from memcli.storage.facts import NUMBER, ODD, SHARED, Facts

REDREAM, SKIP = "--redream", "--skip"
EITHER = f"{REDREAM}|{SKIP}"


class Numbers(NamedTuple):
    """The least and the largest number of the entries, None where there are none, and how many records there are."""

    least: int | None
    largest: int | None
    records: int


def numbers(snapshot: WorkspaceSnapshot, journal: JournalState) -> Numbers | None:
    """What is known of a journal's entries; of a missing one, that it has none. None when it cannot be read."""
    rows = journal.snapshot
    if rows is None:
        there = any(file.path == journal.path for file in snapshot.files)
        return None if there else Numbers(None, None, 0)
    facts = rows.facts
    given = [number for number, flag in zip(facts.ids, facts.flags, strict=True) if is_numbered(flag)]
    return Numbers(min(given, default=None), max(given, default=None), _read(facts))


def is_numbered(flag: int) -> bool:
    """Whether the flag is that of an entry whose number the agent accepts."""
    return bool(flag & NUMBER) and not flag & ODD


def _read(facts: Facts) -> int:
    """How many records a reader counts that passes over lines which are not one record: glued ones are lost to it."""
    glued = sum(1 for entry in facts.shared if not facts.flags[entry - 1] & SHARED)
    return sum(map(is_message, facts.flags)) - len(facts.shared) - glued


def journal_of(snapshot: WorkspaceSnapshot, number: int) -> JournalState:
    """The journal that a finding is about, by its place in the snapshot."""
    return snapshot.journals[number]


def restart(snapshot: WorkspaceSnapshot, journal: JournalState) -> str | None:
    """The text of a position by the flag that was given: --redream to the start of what is left, --skip to its end."""
    known = numbers(snapshot, journal)
    if known is None:
        return None
    if SKIP.strip("-") in snapshot.options:
        if journal.counts == "records":
            return str(known.records)
        return str(journal.reset if known.largest is None else known.largest)
    if REDREAM.strip("-") in snapshot.options:
        if journal.counts == "records" or known.least is None:
            return str(journal.reset)
        return str(known.least - 1)
    return None
