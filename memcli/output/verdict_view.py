"""How verdicts look: a page for people, the same text in a pipe, documented rows with --json."""

from __future__ import annotations

from typing import Any

from memcli.core.doctoring import Answer
from memcli.model import Verdict
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer
from memcli.output.columns import wrapped
from memcli.output.safe_text import cell, pasted
from memcli.output.words import many

NOT_LOST = "not-lost"
COLOURS = {NOT_LOST: GREEN, "unknown": YELLOW}
INDENT = "  "
LOOSE = "Nothing holds the words just as they were typed; upper and lower case and blanks were not told apart."
BESIDE = {"locked-out": "No row is lost; what the lock kept from being written is not known."}
"""Of causes that leave the rows alone."""
NONE = "No row can be had back"
UNKNOWN = "How many rows can be had back is not known"
UNCOUNTED = "How many rows can be had back, and how many are lost,"
NOWHERE = "What became of it"


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


def write(printer: Printer, answer: Answer, fail_on: str = "warning") -> int:
    """Write the verdicts, then what was looked at and what could not be; the exit code, 0 with `fail_on` "never"."""
    shown = [verdict for verdict in answer.verdicts if printer.wants(as_json(verdict))]
    for number, verdict in enumerate(shown):
        if printer.json:
            printer.row(as_json(verdict))
        else:
            if number:
                printer.page("")
            _page(printer, verdict)
    if answer.more and not printer.json:
        printer.page("")
        _text(printer, f"The words stand in {many(answer.more, 'more chat')}; more words, or --json, tell of them.", "")
    if answer.loose:
        printer.note(LOOSE)
    printer.note(f"Looked at {', '.join(answer.looked)}.")
    for sentence in answer.unchecked:
        printer.note(f"Not checked: {sentence}.")
    return int(fail_on != "never" and any(verdict.cause != NOT_LOST for verdict in shown))


def _page(printer: Printer, verdict: Verdict) -> None:
    colour = COLOURS.get(verdict.cause, RED)
    heading = printer.paint(verdict.cause, BOLD, colour)
    printer.page(f"{heading}  {printer.paint(cell(verdict.key), BOLD)}" if verdict.key else heading)
    _text(printer, _counts(verdict))
    for sentence in verdict.evidence:
        _text(printer, sentence, INDENT, DIM)
    if verdict.command:  # on one line, however long: it is there to be copied
        printer.page(INDENT + printer.paint(pasted(verdict.command, printer.encoding), CYAN))


def _text(printer: Printer, text: str, indent: str = INDENT, *codes: str) -> None:
    """A text in lines that fit the terminal; in a pipe on one line."""
    safe = cell(text)
    for line in wrapped(safe, printer.width - len(indent)) if printer.terminal else [safe]:
        printer.page(indent + (printer.paint(line, *codes) if codes else line))


def _counts(verdict: Verdict) -> str:
    if verdict.cause == NOT_LOST:
        return "Nothing is lost."
    rows, lost = verdict.recoverable, verdict.lost
    if rows == 0 and lost is None and verdict.cause in BESIDE:
        return BESIDE[verdict.cause]
    if rows == 0 and lost is None and verdict.layer == "memory-history":
        return "The words are lines of memory files, and no rows of a chat."
    if rows is None and lost is None:
        return f"{NOWHERE if verdict.layer == 'none' else UNCOUNTED} is not known."
    if rows == lost == 0:
        return "No row is lost."
    back = f"{many(rows, 'row')} can be had back from layer {verdict.layer}" if rows else NONE if rows == 0 else UNKNOWN
    return f"{back}; how many are lost is not known." if lost is None else f"{back}; lost: {lost:,}"
