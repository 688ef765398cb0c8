"""Numbers of journal entries that repeat, go back, or are none: entries that a reader never sees."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.entries import is_message
from memcli.damage.framework import Class, CursorState, JournalState, RowsSnapshot, WorkspaceSnapshot
from memcli.damage.journals import is_numbered
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import NUMBER, ODD, TEXT

SCOPE = "workspace"
CLASSES = (
    Class(
        "duplicate-cursor",
        "numbers that repeat or go back",
        "warning",
        "report",
        looks="An entry has a number that an entry before it has, or a smaller one: the counter was set back.",
        does="Nothing: other numbers would make entries unread again. Tells which entries a reader never sees.",
    ),
    Class(
        "null-cursor",
        "entries without a number",
        "warning",
        "report",
        looks="The number of an entry is missing, null, a fraction or true.",
        does="Nothing; tells which entries a reader never sees.",
    ),
    Class(
        "foreign-cursor",
        "another program's cursor",
        "warning",
        "report",
        looks="A cursor is a time, a name or JSON: another program, or another generation of this one, wrote it.",
        does="Nothing: it is not damage, but it means nothing to this agent.",
    ),
)
REPEATED, MISSING, FOREIGN = CLASSES
LISTED = 20
COMPARED = 1000
"""So many entries are compared with the one whose number they repeat."""


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """At most one finding of each class for a journal, and one for a cursor file in another dialect."""
    for journal in snapshot.journals:
        for cursor in (journal.allocated, journal.processed):
            if cursor is not None and cursor.dialect:
                yield _foreign_file(cursor)
        if journal.snapshot is not None and journal.counts == "numbers":
            yield from _repeats(journal, journal.snapshot)
            yield from _unnumbered(journal.snapshot)


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def _foreign_file(cursor: CursorState) -> Finding:
    shown = (cursor.text or "").strip()[:40]
    message = f"It holds {shown!r}, {cursor.dialect} and not a number as this agent writes it."
    return FOREIGN.finding(cursor.path, message, data={"dialect": cursor.dialect})


def _repeats(journal: JournalState, rows: RowsSnapshot) -> Iterator[Finding]:
    facts = rows.facts
    largest: int | None = None
    back: list[int] = []
    for entry, (number, flag) in enumerate(zip(facts.ids, facts.flags, strict=True)):
        if not is_numbered(flag):
            continue
        if largest is not None and number <= largest:
            if len(back) >= COMPARED or not _is_repeated_whole(rows, entry):
                back.append(entry)
        else:
            largest = number
    if back:
        used = journal.processed.used if journal.processed else None
        hidden = [entry for entry in back if used is None or facts.ids[entry] <= used]
        many = (
            f"{len(back):,} {'entry has' if len(back) == 1 else 'entries have'} a number that was given before, or less"
        )
        reader = "A reader that has come past them" if used is None else f"A reader at {used}"
        never = f"{reader} never sees {_rows(rows, hidden)}." if hidden else f"{reader} has not passed them yet."
        data = {"rows": [facts.row(entry) for entry in back[:LISTED]], "entries": len(back), "hidden": len(hidden)}
        yield REPEATED.finding(rows.path, f"{many}. {never}", data=data, **rows.place(back[0]))


def _unnumbered(rows: RowsSnapshot) -> Iterator[Finding]:
    facts = rows.facts
    foreign: list[int] = []
    missing: list[int] = []
    for entry, flag in enumerate(facts.flags):
        if is_message(flag) and not flag & NUMBER and flag & ODD:
            (foreign if flag & TEXT else missing).append(entry)
    for entries, found, what in ((missing, MISSING, "no number"), (foreign, FOREIGN, "a text for a number")):
        if entries:
            many = f"{len(entries):,} {'entry has' if len(entries) == 1 else 'entries have'} {what}"
            message = f"{many}: a reader never sees {_rows(rows, entries)}."
            data = {"rows": [facts.row(entry) for entry in entries[:LISTED]], "entries": len(entries)}
            yield found.finding(rows.path, message, data=data, **rows.place(entries[0]))


def _is_repeated_whole(rows: RowsSnapshot, entry: int) -> bool:
    """Whether it is the same entry once more, which duplicate-record tells of."""
    first = rows.facts.ids.index(rows.facts.ids[entry]) if entry else entry
    return first < entry and rows.value(first) == rows.value(entry)


def _rows(rows: RowsSnapshot, entries: list[int]) -> str:
    named = ", ".join(str(rows.facts.row(entry)) for entry in entries[:LISTED])
    more = f" and {len(entries) - LISTED:,} more" if len(entries) > LISTED else ""
    return f"row{'' if len(entries) == 1 else 's'} {named}{more}"
