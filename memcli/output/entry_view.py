"""How entries of a journal look: a page on a terminal, columns in a pipe, documented rows with --json."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli.core import entries, journals
from memcli.core.entries import Damaged, Entry
from memcli.core.journals import Journal
from memcli.core.noting import Noted
from memcli.output import Printer, messages
from memcli.output.words import many

NAMED = 20
"""So many damaged lines of a journal are named."""


def write(printer: Printer, found: Sequence[Journal], items: Iterable[Entry | Damaged], tz: str) -> None:
    """Write the entries as they come; at the end, say which lines a reader passes over and which journals are missing."""
    damaged: dict[str, list[Damaged]] = {}
    several = len(found) > 1
    for item in items:
        if isinstance(item, Damaged):
            damaged.setdefault(item.journal.shown, []).append(item)
        else:
            _entry(printer, item, several, tz)
    for path, lines in damaged.items():
        named = ", ".join(f"line {one.line} ({one.why})" for one in lines[:NAMED])
        more = f" and {len(lines) - NAMED:,} more" if len(lines) > NAMED else ""
        printer.note(f"{path}: a reader passes over {named}{more}; 'memcli history check' tells more.")
    for journal in found:
        if not journal.there:
            printer.note(f"{journal.shown} does not exist yet.")


def appended(printer: Printer, done: Noted) -> None:
    """Write which entry was appended, and how to undo it."""
    path, number = done.journal.shown, str(done.number or "")
    value = {
        "type": "appended",
        "id": done.id,
        "agent": done.journal.workspace.agent,
        "journal": done.journal.label or None,
        "path": path,
        "number": done.number or None,
        "line": done.line.decode(),
    }
    if printer.json and printer.wants(value):
        printer.row(value)
    elif not printer.json and not printer.terminal and printer.wants(value):
        printer.tabs([[done.id, number, path]])
    what = f"entry {number}" if number else "an entry"
    printer.note(f"Appended {what} to {path}, {many(len(done.line) + 1, 'byte')}.")
    beside = journals.facet(done.journal).BESIDE
    if beside:
        printer.note(beside)
    printer.note(f"Undo: memcli undo {done.id}")


def _entry(printer: Printer, entry: Entry, several: bool, tz: str) -> None:
    if printer.json or printer.keep is not None:
        value = entries.as_json(entry, tz)
        if not printer.wants(value):
            return
        if printer.json:
            printer.row(value)
            return
    record, label = entry.record, entry.journal.label
    if printer.terminal:
        head = label or entry.journal.shown if several else ""
        waits = "pending" if entry.waits else ""
        marks = ", ".join(part for part in (entry.flaw, waits) if part)
        messages.write(printer, record, head=head, number=entry.number or 0, flaw=marks)
        return
    number = "" if entry.number is None else str(entry.number)
    waits = "pending" if entry.waits else ""
    printer.tabs([[number, record.timestamp or "", waits, str(entry.line), label, record.role, record.text]])
