"""What differs between two versions of a file, as a unified difference or as documented rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.output import BOLD, CYAN, DIM, GREEN, RED, Printer
from memcli.output.safe_text import cell
from memcli.storage.passages import Passage

_WORDS = {" ": "same", "-": "removed", "+": "added"}
_COLOURS = {"-": (RED,), "+": (GREEN,), "\\": (DIM,)}


def page(printer: Printer, passages: Sequence[Passage], *, indent: str = "") -> None:
    """Write passages as a unified difference, each file's with its name above them."""
    before = ""
    for one in passages:
        if one.path != before:
            printer.page(indent + printer.paint(f"--- {cell(one.path)}", BOLD))
            printer.page(indent + printer.paint(f"+++ {cell(one.path)}", BOLD))
        before = one.path
        old, new = one.sizes
        printer.page(indent + printer.paint(f"@@ -{one.old},{old} +{one.new},{new} @@", CYAN))
        for mark, line in one.lines:
            text = f"{mark}{line.decode('utf-8', 'replace')}"
            printer.page(indent + printer.paint(text, *_COLOURS.get(mark, ("0",))))


def as_json(one: Passage) -> dict[str, Any]:
    """The documented JSON object of one passage, between a file as it is and as it is to be."""
    return {
        "type": "passage",
        "path": one.path,
        "old": None,
        "new": None,
        "old_line": one.old,
        "new_line": one.new,
        "lines": [
            {"change": _WORDS[mark], "text": line.decode("utf-8", "replace")}
            for mark, line in one.lines
            if mark in _WORDS
        ],
    }
