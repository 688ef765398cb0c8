"""How `tail` looks: records as a person reads them, raw lines, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.core import rows
from memcli.core.recent import Recent, Shown, Unread
from memcli.output import Printer, messages, say
from memcli.output.safe_text import document
from memcli.output.words import passed_over

if TYPE_CHECKING:
    from memcli.storage.row_archive import Broken


class View:
    """Prints what tail shows. `numbered` tells whether line and row numbers are needed, which costs a count."""

    def __init__(self, printer: Printer, *, raw: bool, named: bool, tz: str) -> None:
        self.printer, self.raw, self.named, self.tz = printer, raw, named, tz
        self.numbered = printer.json or printer.keep is not None
        self.written: bytes | None = None
        self.failed = False

    def recent(self, found: Recent) -> None:
        """Write the last records, and say what was passed over."""
        for one in found.shown:
            self._one(one)
        for error in found.errors:
            say(f"memcli: {error.sentence}")
        if found.skipped_lines:
            self.printer.note(f"{found.name}: {passed_over(found.skipped_lines, found.skipped_bytes)}.")
        self.printer.flush()

    def broken(self, place: Broken) -> None:
        """Say that a part of the archive is damaged."""
        self.failed = True
        say(f"memcli: {place.sentence}")

    def coming(self, item: Shown | Unread) -> None:
        """Write one record that has just come."""
        if isinstance(item, Unread):
            self.printer.note(f"{item.ref.key}: {passed_over(1, item.size)}: {item.flaw}.")
        else:
            self._one(item)
            self.printer.flush()

    def _one(self, one: Shown) -> None:
        printer = self.printer
        if self.numbered:
            value = rows.as_json(one.ref, one.line, one.row, one.record, one.flaw, self.tz)
            if not printer.wants(value):
                return
            if printer.json:
                printer.row(value)
                return
        if self.raw and one.raw is self.written:  # the second record on one line
            return
        self.written = one.raw
        if not self.raw:
            messages.write(printer, one.record, head=one.ref.key if self.named else "", flaw=one.flaw)
        elif printer.terminal:
            printer.page(document(one.raw.decode("utf-8", "backslashreplace")))
        else:
            printer.bytes(one.raw + b"\n")
