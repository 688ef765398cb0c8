"""Rows that are JSON objects, but not what the agent can take for a message."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.entries import beyond, is_alone, is_message, removal
from memcli.damage.framework import Class, RowsSnapshot
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import NUMBER, ODD

SCOPE = "rows"
CLASSES = (
    Class(
        "missing-role",
        "a row without a role",
        "error",
        "flag",
        looks="A row has no role, or one that is no text.",
        does="Nothing by itself: which role it had cannot be known; --drop-bad-rows takes the row away.",
        lost="The row, which goes to quarantine.",
        flag="--drop-bad-rows",
    ),
    Class(
        "bad-row-shape",
        "a row that the agent chokes on",
        "error",
        "flag",
        looks="A member that the agent counts on is missing in a row or has the wrong type.",
        does="Nothing by itself; --drop-bad-rows takes the row away.",
        lost="The row, which goes to quarantine.",
        flag="--drop-bad-rows",
    ),
)
ROLE, SHAPE = CLASSES


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """A finding for each such row, and for a line at the top that the agent takes for one."""
    facts = snapshot.facts
    for line, value in snapshot.others:
        why = snapshot.rules.fault(value)
        if why:
            place = {"line": line.number, "offset": line.offset, "length": line.length + line.ended}
            message = f"The line counts as a message to this version of the agent, and {why}."
            yield _class(why).finding(snapshot.path, message, **place)
    by_cursor = snapshot.kind == "journal" and snapshot.rules.numbered
    told = 0
    more = {ROLE: 0, SHAPE: 0}
    for entry, flag in enumerate(facts.flags):
        if not flag & ODD or not is_message(flag):
            continue
        if by_cursor and not flag & NUMBER:  # null-cursor and foreign-cursor tell of those
            continue
        if told == snapshot.limit:  # to read each row again would take too long
            more[SHAPE if facts.role(entry) else ROLE] += 1
            continue
        told += 1
        why = snapshot.rules.fault(snapshot.value(entry)) or "is not what the agent expects"
        message = f"Row {facts.row(entry)} {why}."
        yield _class(why).finding(snapshot.path, message, data={"entry": entry}, **snapshot.place(entry))
    for one, number in more.items():
        yield from beyond(snapshot, one, number)


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the row away."""
    if finding.row is None:
        return [Edit(finding.offset or 0, finding.length or 0, b"", finding.code)]
    entry = finding.data["entry"]
    return [removal(snapshot, entry, finding.code)] if is_alone(snapshot, entry) else []


def _class(why: str) -> Class:
    return ROLE if why.startswith("has no role") else SHAPE
