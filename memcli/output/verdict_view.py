"""How verdicts look: a page for people, the same text in a pipe, documented rows with --json."""

from __future__ import annotations

from typing import Any

from memcli.core.doctoring import Answer
from memcli.model import Verdict
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer
from memcli.output.words import many

NOT_LOST = "not-lost"
COLOURS = {NOT_LOST: GREEN, "unknown": YELLOW}


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The documented JSON object of one verdict."""
    return {
        "type": "verdict",
        "key": verdict.key,
        "cause": verdict.cause,
        "layer": verdict.layer,
        "recoverable": verdict.recoverable,
        "lost": verdict.lost,
        "evidence": list(verdict.evidence),
        "command": verdict.command,
    }


def write(printer: Printer, answer: Answer) -> int:
    """Write the verdicts, then what was looked at; the exit code."""
    shown = [verdict for verdict in answer.verdicts if printer.wants(as_json(verdict))]
    for number, verdict in enumerate(shown):
        if printer.json:
            printer.row(as_json(verdict))
        else:
            if number:
                printer.page("")
            _page(printer, verdict)
    printer.note(f"Looked at {', '.join(answer.looked)}.")
    return int(any(verdict.cause != NOT_LOST for verdict in shown))


def _page(printer: Printer, verdict: Verdict) -> None:
    colour = COLOURS.get(verdict.cause, RED)
    heading = printer.paint(verdict.cause, BOLD, colour)
    printer.page(f"{heading}  {printer.paint(verdict.key, BOLD)}" if verdict.key else heading)
    printer.page(f"  {_counts(verdict)}")
    for sentence in verdict.evidence:
        printer.page(f"  {printer.paint(sentence, DIM)}")
    if verdict.command:
        printer.page(f"  {printer.paint(verdict.command, CYAN)}")


def _counts(verdict: Verdict) -> str:
    if verdict.cause == NOT_LOST:
        return "Nothing is lost."
    back = "unknown how many rows" if verdict.recoverable is None else many(verdict.recoverable, "row")
    gone = "unknown how many" if verdict.lost is None else f"{verdict.lost:,}"
    return f"{back} can be had back from layer {verdict.layer}; lost: {gone}"
