"""Rows that name another session than the one whose file they stand in."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.entries import is_alone, is_message, removal
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.collecting import OTHER

SCOPE = "rows"
CLASSES = (
    Class(
        "foreign-record",
        "a row of another session",
        "warning",
        "flag",
        looks="A row names another session than the header: two keys share a file name, or rows were copied.",
        does="Nothing by itself; --reroute moves the rows to the session that they name, where that has a file of its own.",
        lost="Nothing: the rows stand in the other file afterwards.",
        flag="--reroute",
    ),
)


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """A finding for each run of rows that belong to one other session."""
    facts = snapshot.facts
    if not snapshot.key or not set(facts.owners) - {None, snapshot.key}:
        return
    starts = [*facts.owner_entries, len(facts)]
    for start, end, code in zip(starts, starts[1:], facts.owner_codes, strict=False):
        owner = facts.owners[code]
        if owner is None or owner == snapshot.key:
            continue
        entries = [entry for entry in range(start, end) if is_message(facts.flags[entry])]
        if not entries:
            continue
        home = None if owner == OTHER else snapshot.home(owner)
        apart = home is not None and home != snapshot.path
        said = count(len(entries), "row")
        whose = "other sessions" if owner == OTHER else f"the session {owner}"
        message = f"{said} of {whose} {'stands' if len(entries) == 1 else 'stand'} in the file of {snapshot.key}."
        if home == snapshot.path:
            message += " The agent keeps both sessions in this one file: their names come out the same."
        repair, flag = ("flag", CLASSES[0].flag) if apart else ("report", "")
        data = {"start": start, "end": end, "owner": owner, "home": home if apart else None}
        yield CLASSES[0].finding(
            snapshot.path, message, repair=repair, flag=flag, data=data, **snapshot.place(entries[0])
        )


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the rows out and move them; whoever carries it out must refuse where their ids are not free there."""
    target = finding.data["home"]
    entries = range(finding.data["start"], finding.data["end"])
    chosen = [entry for entry in entries if is_message(snapshot.facts.flags[entry])]
    if target is None or not all(is_alone(snapshot, entry) for entry in chosen):
        return []
    edits: list[Edit | Action] = [removal(snapshot, entry, finding.code) for entry in chosen]
    return [*edits, Action("move-rows", snapshot.path, finding.code, target)]
