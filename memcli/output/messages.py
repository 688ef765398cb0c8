"""A record as a person reads it: a head line with role and time, then the text; the same page on a terminal and in a pipe."""

from __future__ import annotations

from memcli.model import Record
from memcli.output import BLUE, BOLD, CYAN, DIM, GREEN, MAGENTA, YELLOW, Printer
from memcli.output.safe_text import cell, document

COLOURS = {"user": GREEN, "assistant": BLUE, "tool": YELLOW, "system": MAGENTA}
INDENT = "  "


def write(printer: Printer, record: Record, *, head: str = "", number: int = 0, flaw: str = "") -> None:
    """Write one record. `head` is set before the role (the session, when several are shown), `number` its row."""
    role = record.role or "(no role)"
    parts = [printer.paint(cell(head), CYAN)] if head else []
    if number:
        parts.append(printer.paint(f"#{number}", DIM))
    parts.append(printer.paint(cell(role), BOLD, COLOURS.get(role, CYAN)))
    if record.name:
        parts.append(printer.paint(cell(record.name), YELLOW))
    if record.timestamp:
        parts.append(printer.paint(cell(record.timestamp), DIM))
    if flaw:
        parts.append(printer.paint(f"[{flaw}]", "31"))
    printer.page(" ".join(parts))
    if record.reasoning:
        printer.page(_block(printer.paint(record.reasoning, DIM), "· "))
    if record.content:
        printer.page(_block(document(record.content), ""))
    for call in record.calls:
        printer.page(_block(printer.paint(call.name, YELLOW) + _arguments(call.arguments), "→ "))
    printer.page("")


def _arguments(text: str) -> str:
    return "\n" + document(text) if text else ""


def _block(text: str, mark: str) -> str:
    """`text` indented, the first line with `mark`."""
    lines = text.rstrip("\n").split("\n")
    return "\n".join([INDENT + mark + lines[0], *(INDENT + " " * len(mark) + line for line in lines[1:])])
