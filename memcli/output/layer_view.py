"""How the layers of memory look: a page for each, the same on a terminal and in a pipe, documented rows with --json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.layering import Seen
from memcli.output import BOLD, CYAN, DIM, YELLOW, Printer
from memcli.output.columns import wrapped
from memcli.output.safe_text import cell, document
from memcli.output.words import many

INDENT = "  "
STATES = {
    "missing": "there is no such file",
    "empty": "empty, so that no prompt has it",
    "left-out": "no prompt has it",
    "fails": "every turn fails",
    "unreadable": "it cannot be read",
    "unknown": "what it was is not known",
}


def as_json(seen: Seen) -> dict[str, Any]:
    """The documented JSON object of one layer."""
    return {
        "type": "layer",
        "agent": seen.workspace.agent,
        "of": seen.layer.group or None,
        "layer": seen.layer.layer,
        "path": seen.shown,
        "title": seen.layer.title or None,
        "state": seen.state,
        "why": seen.why or None,
        "characters": seen.characters,
        "cut": seen.cut,
        "aged": seen.aged,
        "commit": seen.commit.id if seen.commit else None,
        "time": seen.commit.time if seen.commit else None,
        "text": seen.text,
    }


def write(printer: Printer, layers: Sequence[Seen]) -> int:
    """Write every layer; 0, or 1 when no prompt has any."""
    kept = [seen for seen in layers if printer.wants(as_json(seen))]
    if printer.json:
        for seen in kept:
            printer.row(as_json(seen))
        return 0 if any(seen.state == "sent" for seen in kept) else 1
    head = ""
    for seen in kept:
        whose = f"{seen.workspace.agent} {seen.layer.group}".strip()
        if whose != head and len({(one.workspace.agent, one.layer.group) for one in kept}) > 1:
            printer.page(printer.paint(cell(whose), BOLD, CYAN))
            printer.page("")
        head = whose
        _page(printer, seen)
    if not kept:
        printer.note("There is no long-term memory here.")
    return 0 if any(seen.state == "sent" for seen in kept) else 1


def _page(printer: Printer, seen: Seen) -> None:
    facts = []
    if seen.commit:
        facts.append(f"{seen.commit.id[:8]} {seen.commit.time[:10]}")
    if seen.state in STATES:
        said = STATES[seen.state]
        facts.append(f"{said}: {seen.why}" if seen.why and seen.state != "missing" else said)
    if seen.characters:
        facts.append(many(seen.characters, "character"))
    if seen.cut:
        facts.append(f"{seen.cut:,} of them cut off")
    if seen.aged:
        facts.append(f"{many(seen.aged, 'line')} with an age")
    lines = wrapped(f"{cell(seen.layer.layer)}  {cell(seen.shown)}", printer.width) if printer.terminal else []
    lines = lines or [f"{cell(seen.layer.layer)}  {cell(seen.shown)}"]
    for line in lines:
        printer.page(printer.paint(line, BOLD))
    for line in wrapped(cell("; ".join(facts)), printer.width - 2) if printer.terminal else [cell("; ".join(facts))]:
        odd = seen.state not in ("sent", "missing", "empty") or seen.cut
        printer.page(INDENT + printer.paint(line, YELLOW if odd else DIM))
    if seen.text:
        title = f"{seen.layer.title}\n" if seen.layer.title and seen.state == "sent" else ""
        text = document(title + seen.text.replace("\r\n", "\n")).rstrip("\n")
        printer.page("\n".join(INDENT + line if line else "" for line in text.split("\n")))
    printer.page("")
