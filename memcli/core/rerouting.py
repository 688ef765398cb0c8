"""Handing rows of another session over to the file of that session."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import isnan

from memcli.core.mending import Mending
from memcli.damage.entries import is_alone, is_message
from memcli.damage.framework import RowsSnapshot
from memcli.model import Edit, Finding
from memcli.storage.facts import NUMBER, TEXT, UNREAD


def move(source: Mending, target: Mending | None, finding: Finding, edits: Sequence[Edit]) -> str:
    """Take rows out of one file, by `edits`, and put them into another by their times; why not, in a sentence, "" when done.

    Rows that stand in the other file already are only taken out. Both files are changed on paper only.
    """
    if target is None:
        return f"The rows of {finding.data['owner']} stay: that session has no file here."
    rows, theirs = source.examination.rows, target.examination.rows
    if rows is None or theirs is None or any(flag & UNREAD for flag in theirs.facts.flags):
        return f"The rows of {finding.data['owner']} stay: not all of {target.target.shown} can be read."
    if len(theirs.facts) and not is_alone(theirs, len(theirs.facts) - 1):
        return f"The rows of {finding.data['owner']} stay: {target.target.shown} does not end with a whole row."
    entries = [entry for entry in range(len(rows.facts)) if any(rows.facts.offsets[entry] == e.offset for e in edits)]
    known = {theirs.raw(entry) for entry in range(len(theirs.facts))}
    entries = [entry for entry in entries if rows.raw(entry) not in known]
    named = NUMBER | TEXT
    taken = {number for number, flag in zip(theirs.facts.ids, theirs.facts.flags, strict=True) if flag & named}
    if any(rows.facts.flags[entry] & named and rows.facts.ids[entry] in taken for entry in entries):
        return f"The rows of {finding.data['owner']} stay: some of their ids are taken in {target.target.shown}."
    inserted = [_insertion(rows, entry, theirs, finding.code) for entry in entries]
    source.edit(finding, edits)
    if inserted:
        target.edit(finding._replace(path=target.target.shown, offset=inserted[0].offset), inserted)
    return ""


def _insertion(rows: RowsSnapshot, entry: int, theirs: RowsSnapshot, code: str) -> Edit:
    """The edit that puts a row behind the last one that is not younger."""
    facts = theirs.facts
    time = rows.facts.times[entry]
    times = [moment for moment in facts.times if not isnan(moment)]
    behind = len(facts) - 1
    if not isnan(time) and len(times) == len(facts) and times == sorted(times):
        behind = bisect_right(times, time) - 1
    messages = [one for one in range(len(facts)) if is_message(facts.flags[one])]
    if behind < 0 and messages:
        offset, row = facts.offsets[messages[0]], 0
    elif behind < 0:
        line = theirs.header_line
        offset, row = (line.offset + line.length + 1, 0) if line else (0, 0)
    else:
        start, length = theirs.span(behind)
        offset, row = start + length, facts.row(behind)
    return Edit(offset, 0, rows.raw(entry), code, rows=1, row=row, records=1)
