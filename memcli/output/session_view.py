"""How `sessions show` looks: the portrait of one session, or one place in it."""

from __future__ import annotations

from typing import Any

from memcli.core import rows
from memcli.core.rows import Row
from memcli.core.surveying import Gap, Survey
from memcli.formats import load
from memcli.model import SessionRef
from memcli.output import BOLD, DIM, GREEN, RED, YELLOW, Printer, messages
from memcli.output.columns import size_words
from memcli.output.safe_text import cell, document
from memcli.output.words import duration, many
from memcli.storage.row_archive import Series

LISTED = 10
"""How many unreadable rows the page names; --json has them all."""


def as_json(ref: SessionRef, seen: Survey, kept: Series | None = None) -> dict[str, Any]:
    """The documented JSON object of one session looked into; `kept` is what of it is in memcli's archive."""
    return {
        "type": "portrait",
        "agent": ref.agent,
        "era": ref.workspace.era or None,
        "key": ref.key,
        "path": ref.shown,
        "size": seen.size,
        "lines": seen.lines,
        "rows": seen.rows,
        "messages": seen.readable,
        "roles": seen.roles,
        "calls": seen.calls,
        "first": seen.first,
        "last": seen.last,
        "tokens": seen.tokens,
        "damage": list(seen.damage),
        "unreadable": [u._asdict() for u in seen.unreadable],
        "gaps": [gap._asdict() for gap in seen.gaps],
        "agent_sees": seen.view.seen,
        "agent_lists": seen.view.listed,
        "agent_reason": seen.view.reason,
        "agent_notes": list(seen.view.notes),
        "header": list(seen.header_texts),
        "archived": kept.rows if kept else 0,
        "archived_since": (kept.since if kept else "") or None,
    }


def survey(printer: Printer, ref: SessionRef, seen: Survey, kept: Series | None = None) -> None:
    """Write the portrait; `kept` is what of the session is in memcli's archive."""
    value = as_json(ref, seen, kept)
    if not printer.wants(value):
        return
    if printer.json:
        printer.row(value)
        return
    agent = f"{ref.agent} {ref.workspace.era}".strip()
    printer.page(f"{printer.paint(cell(ref.key), BOLD)}  {printer.paint(f'({agent})', DIM)}")
    line = _liner(printer)
    size = size_words(seen.size) if seen.size >= 1000 else many(seen.size, "byte")
    line("file", f"{ref.shown}  {size}, {many(seen.lines, 'line')}")
    for text in seen.header_texts:
        line("header", text)
    counts = ", ".join(f"{role or '(no role)'} {count:,}" for role, count in seen.roles.items())
    line("rows", f"{seen.rows:,}" + (f": {counts}" if counts else ""))
    if kept:
        since = f" since {kept.since}" if kept.since else ""
        line("archive", f"{many(kept.rows, 'more row')}{since}; tail and grep show them with --archive")
    if seen.first:
        line("time", f"{seen.first} to {seen.last}")
    line("tokens", f"{seen.tokens:,} (o200k_base)")
    if seen.calls:
        line("calls", ", ".join(f"{name or '(no name)'} {count:,}" for name, count in seen.calls.items()))
    for gap in seen.gaps[:LISTED]:
        line("gap", gap_words(gap))
    if len(seen.gaps) > LISTED:
        line("gap", f"and {len(seen.gaps) - LISTED} more")
    if seen.damage:
        printer.page(f"  {'damage':<8}{printer.paint(', '.join(seen.damage), RED)}")
    for bad in seen.unreadable[:LISTED]:
        where = f"row {bad.row} (line {bad.line}, byte {bad.offset:,}, {many(bad.length, 'byte')})"
        line("bad", f"{where} cannot be read: {bad.flaw}")
    if len(seen.unreadable) > LISTED:
        line("bad", f"and {len(seen.unreadable) - LISTED} more; --json has them all")
    colour = GREEN if seen.view.seen == seen.view.total and seen.view.listed and not seen.view.notes else YELLOW
    printer.page(f"  {'agent':<8}{printer.paint(cell(agent_words(seen)), colour)}")
    for note in seen.view.notes:
        line("", note)


def _liner(printer: Printer) -> Any:
    def line(label: str, text: str) -> None:
        printer.page(f"  {label:<8}{cell(text)}")

    return line


def agent_words(seen: Survey) -> str:
    """`the agent sees 0 of 417 rows: row 203 does not parse`"""
    view = seen.view
    reason = f": {view.reason}" if view.reason else ""
    hidden = "" if view.listed else " and does not list the chat"
    return f"the agent sees {view.seen:,} of {many(view.total, 'row')}{hidden}{reason}"


def gap_words(gap: Gap) -> str:
    """A gap in words."""
    if gap.what == "ids":
        return f"{many(int(gap.amount), 'id')} missing before row {gap.row}"
    return f"{duration(gap.amount)} of silence before row {gap.row}"


def place(printer: Printer, ref: SessionRef, found: Row, *, tz: str, wanted: bool) -> None:
    """Write one line of the session: its record, or its bytes when it gives none. `wanted` marks the one asked for."""
    form = load(ref.agent)
    line, number = found.line, found.number
    messages_here = rows.records(form, found.decoded) if number else []
    for message in messages_here:
        value = rows.as_json(ref, line.number, number, message, found.decoded.flaw, tz)
        _one(printer, value, message, number, found.decoded.flaw, wanted)
    if messages_here:
        return
    what = "header" if found.decoded.values else found.decoded.flaw or "blank"
    raw = "" if line.raw is None else line.raw.decode("utf-8", "backslashreplace")
    value = {
        "type": "line",
        "key": ref.key,
        "path": ref.shown,
        "line": line.number,
        "row": number or None,
        "offset": line.offset,
        "length": line.length,
        "what": what,
        "raw": raw,
    }
    if not printer.wants(value):
        return
    if printer.json:
        printer.row(value)
        return
    mark = printer.paint("> ", BOLD) if wanted else "  "
    where = f"line {line.number}" + (f", row {number}" if number else "")
    printer.page(f"{mark}{printer.paint(where, BOLD)} {printer.paint(f'[{what}]', RED if number else DIM)}")
    printer.page("  " + document(raw if line.raw is not None else f"({many(line.length, 'byte')}, too long to show)"))
    printer.page("")


def _one(printer: Printer, value: dict[str, Any], message: Any, number: int, flaw: str, wanted: bool) -> None:
    if not printer.wants(value):
        return
    if printer.json:
        printer.row(value)
    else:
        messages.write(printer, message, number=number, flaw=flaw, head=">" if wanted else "")
