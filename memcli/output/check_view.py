"""How the overview of a workspace looks: lines of state, what, command, for people and in a pipe; documented rows with --json."""

from __future__ import annotations

from typing import Any

from memcli.core.checking import Checked, Overview, Seen
from memcli.core.checks.framework import OK, Check
from memcli.core.verifying import SEVERITIES
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer
from memcli.output.columns import cut, width, wrapped
from memcli.output.safe_text import cell, pasted
from memcli.output.words import many

COLOURS = {"error": RED, "warning": YELLOW, "info": CYAN, OK: GREEN}
INDENT = 9
"""Columns of the state and the blanks behind it."""
LINES = 2
"""So many lines of the weightiest evidence are shown; --json has it all."""


def as_json(overview: Overview, check: Check) -> dict[str, Any]:
    """The documented JSON object of one line."""
    return {
        "type": "check",
        "workspace": overview.workspace.shown or overview.workspace.root,
        "agent": overview.workspace.agent,
        "era": overview.workspace.era,
        "name": check.name,
        "state": check.state,
        "message": check.message,
        "count": check.number,
        "command": check.command,
        "evidence": list(check.evidence),
    }


def write(printer: Printer, checked: Checked, fail_on: str = "warning") -> int:
    """Write the overviews; the exit code. `fail_on` is the severity from which on a line ends the command with 1."""
    shown: set[str] = set()
    for number, overview in enumerate(checked.overviews):
        kept = [check for check in overview.checks if printer.wants(as_json(overview, check))]
        shown.update(check.state for check in kept)
        if printer.json:
            for check in kept:
                printer.row(as_json(overview, check))
        else:
            if number:
                printer.page("")
            _page(printer, overview, kept)
    for sentence in checked.unchecked:
        printer.note(f"Not checked: {sentence}.")
    if checked.failed:
        return 3
    counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on in SEVERITIES else ()
    return int(not shown.isdisjoint(counted))


def _page(printer: Printer, overview: Overview, kept: list[Check]) -> None:
    workspace = overview.workspace
    who = f"{workspace.agent}{f' {workspace.era}' if workspace.era else ''}"
    lines = [check for check in kept if check.state != OK]
    place = cell(workspace.shown or workspace.root)
    printer.page(f"{printer.paint(place, BOLD)}  {printer.paint(cell(who), DIM)}")
    for check in lines if printer.keep is None else kept:
        _line(printer, check)
    if printer.keep is not None:
        return  # --where asked for some checks only: nothing is said about the others
    if any(check.state in ("error", "warning") for check in lines):
        text, state = f"{_counted(overview.seen)} looked at; the rest is well", OK
    else:
        text, state = f"{_counted(overview.seen)} looked at: nothing is wrong", "healthy"
    _text(printer, state, text, "", GREEN)


def _line(printer: Printer, check: Check) -> None:
    _text(printer, check.state, check.message, check.command, COLOURS[check.state])
    if check.evidence and check.state in ("error", "warning"):
        room = max(20, printer.width - INDENT)
        lines = wrapped(cell(check.evidence[0]), room)
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], cut(f"{lines[LINES - 1]} {lines[LINES]}", room)]
        for line in lines:
            printer.page(" " * INDENT + printer.paint(line, DIM))


def _text(printer: Printer, state: str, text: str, command: str, colour: str) -> None:
    """The state, the text in lines that fit, and the command behind it, or below where it does not fit; it is never cut."""
    room = max(20, printer.width - INDENT)
    lines = wrapped(cell(text), room)
    command = pasted(command, printer.encoding)
    pad = " " * INDENT
    heads = [printer.paint(state, colour) + " " * (INDENT - len(state)), *[pad] * (len(lines) - 1)]
    if command and width(lines[-1]) + 2 + width(command) <= room:
        lines[-1] += f"  {printer.paint(command, BOLD)}"
        command = ""
    for head, line in zip(heads, lines, strict=True):
        printer.page(f"{head}{line}")
    if command:
        printer.page(f"{pad}{printer.paint(command, BOLD)}")


def _counted(seen: Seen) -> str:
    parts = [(seen.sessions, "session", ""), (seen.rows, "row", ""), (seen.journals, "journal", "")]
    parts.append((seen.memories, "memory file", ""))
    texts = [many(count, noun, plural) for count, noun, plural in parts if count]
    if seen.sessions and seen.states:
        texts[0] += f" ({', '.join(f'{count:,} {state}' for state, count in seen.states.items())})"
    return ", ".join(texts) or "no file"
