"""How `grep` looks: one line for each matching line of text, counts, paths, or JSON; what was passed over on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memcli.core.searching import Match, Searched, as_json
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer, say, tab_line
from memcli.output.columns import beginning, cut, ending, width
from memcli.output.messages import COLOURS
from memcli.output.safe_text import cell, document
from memcli.output.words import many

if TYPE_CHECKING:
    from memcli.storage.row_archive import Broken

NAMED = 5
"""How many unreadable places are named one by one."""
ROOM = 40
"""Columns that the text of a match must have to stand behind its place on one line."""
LEAD = 30
"""Columns kept before a match when a long line is cut on a terminal."""


@contextmanager
def progress(printer: Printer, total: int) -> Iterator[Callable[[int], None]]:
    """A bar over files, when somebody watches."""
    if not watched(printer) or total < 2:
        yield lambda done: None
        return
    from memcli.output.rich_view import progress as bar

    with bar("searching", total, printer.quiet) as report:
        yield report


def watched(printer: Printer) -> bool:
    """Whether a bar may be drawn: on a terminal, when results go elsewhere than to the same terminal."""
    return not (printer.terminal or printer.quiet or sys.stderr is None) and sys.stderr.isatty()


class View:
    """Takes what a search yields and prints it in one of the forms lines, only, count, files."""

    def __init__(self, printer: Printer, *, form: str, null: bool, tz: str, context: bool) -> None:
        self.printer, self.form, self.null, self.tz, self.context = printer, form, null, tz, context
        self.files = self.matches = 0
        self.here = 0
        self.bad_lines = self.bad_bytes = 0
        self.holding: list[tuple[Searched, int]] = []
        self.failed = 0
        self.last: tuple[str, int] | None = None

    def take(self, item: Match | Searched) -> None:
        """Print one match, or close one file."""
        if isinstance(item, Searched):
            self._close(item)
            return
        if item.matched or self.printer.json:
            value = as_json(item, self.tz) if self.printer.json or self.printer.keep else None
            if value is not None and not self.printer.wants(value):
                return
            if item.matched:
                self.here += 1
                self.matches += 1
            if value is not None and self.printer.json and self.form == "lines":
                self.printer.row(value)
                return
        if self.form == "lines":
            self._lines(item)
        elif self.form == "only":
            self._only(item)

    def _lines(self, item: Match) -> None:
        place = (item.ref.path, item.row)
        if self.context and self.last and not self._follows(place):
            self.printer.page("--")
        self.last = place
        text = item.text
        for start, end in _text_lines(text, item.spans) if item.matched else [_first_line(text)]:
            spans = [(max(a, start) - start, min(b, end) - start) for a, b in item.spans if a < end and b > start]
            self._one(item, text[start:end], spans)

    def _follows(self, place: tuple[str, int]) -> bool:
        return self.last is not None and place[0] == self.last[0] and place[1] - self.last[1] <= 1

    def _only(self, item: Match) -> None:
        for start, end in item.spans:
            self._one(item, item.text[start:end], [(0, end - start)])

    def _one(self, item: Match, line: str, spans: list[tuple[int, int]]) -> None:
        printer, record = self.printer, item.record
        if printer.json:
            printer.row({**as_json(item, self.tz), "match": line})
            return
        mark = "" if item.matched else "-"
        if not printer.terminal:
            fields = [item.ref.key, f"{_row(item)}{mark}", record.role, record.timestamp or "", line]
            printer.bytes(tab_line(fields, printer.encoding))
            return
        head, used = self._head(item, mark)
        if printer.width - used > ROOM:
            printer.page(f"{head} {self._fitted(line, spans, printer.width - used - 1)}")
        else:  # a narrow terminal: the text below, on a line of its own
            printer.page(head)
            printer.page("  " + self._fitted(line, spans, printer.width - 2))

    def _head(self, item: Match, mark: str) -> tuple[str, int]:
        """Where a match is, and how many columns that takes: as much of it as the terminal has room for."""
        record, row = item.record, f"{_row(item)}{mark or ':'}"
        key = cut(cell(item.ref.key), self.printer.width - len(row) - 1)
        time = cell((record.timestamp or "")[:19].replace("T", " "))
        parts = [
            (key, (CYAN,)),
            (row, (GREEN if item.matched else DIM,)),
            (cell(record.role), (BOLD, COLOURS.get(record.role, CYAN))),
            (time, (DIM,)),
        ]
        parts = [part for part in parts if part[0]]
        while sum(width(text) + 1 for text, _ in parts) - 1 > self.printer.width:
            parts.pop()
        painted = " ".join(self.printer.paint(text, *codes) for text, codes in parts)
        return painted, sum(width(text) + 1 for text, _ in parts) - 1

    def _fitted(self, line: str, spans: list[tuple[int, int]], room: int) -> str:
        """The part of a long line around its first match in `room` columns, the matches highlighted."""
        pieces: list[tuple[str, bool]] = []  # what is printed, and whether it matches
        at = 0
        for start, stop in spans:
            pieces += [(cell(line[at:start]), False), (cell(line[start:stop]), True)]
            at = stop
        pieces.append((cell(line[at:]), False))
        if spans and width(pieces[0][0] + pieces[1][0]) > room:
            lead = min(LEAD, max(1, (room - width(pieces[1][0])) // 2))
            pieces[0] = ("…" + ending(pieces[0][0], lead - 1), False)
        left = room
        rest = "" if sum(width(text) for text, _ in pieces) <= room else "…"
        shown = []
        for text, matches in pieces:
            kept = beginning(text, left - len(rest))
            shown.append(self.printer.paint(kept, BOLD, RED) if matches else kept)
            left -= width(kept)
            if kept != text:
                break
        return "".join(shown) + rest

    def _close(self, item: Searched) -> None:
        report, here = item.report, self.here
        self.here = 0
        self.files += 1
        if not (self.printer.keep or self.form in ("lines", "only")):
            here = report.matches
            self.matches += here
        if here and self.form == "files":
            self._path(item)
        elif here and self.form == "count":
            self._count(item, here)
        if report.error is not None:
            self.failed += 1
            say(f"memcli: {report.error.sentence}")
        bad, size = report.unreadable + report.oversize, report.unreadable_bytes + report.oversize_bytes
        if bad:
            self.bad_lines += bad
            self.bad_bytes += size
            self.holding += [(item, sample.line) for sample in report.samples if sample.contains]

    def _path(self, item: Searched) -> None:
        if self.printer.json:
            self.printer.row({"type": "file", "key": item.ref.key, "path": item.ref.shown})
        elif self.printer.terminal and not self.null:
            self.printer.page(document(item.ref.shown))
        else:
            self.printer.bytes(os.fsencode(item.ref.shown) + (b"\0" if self.null else b"\n"))

    def _count(self, item: Searched, here: int) -> None:
        if self.printer.json:
            self.printer.row({"type": "count", "key": item.ref.key, "path": item.ref.shown, "count": here})
        elif self.printer.terminal:
            key = cut(cell(item.ref.key), self.printer.width - len(str(here)) - 1)
            self.printer.page(f"{self.printer.paint(key, CYAN)} {here}")
        else:
            self.printer.bytes(tab_line([item.ref.key, str(here)], self.printer.encoding))

    def broken(self, place: Broken) -> None:
        """Say that a part of the archive is damaged."""
        self.failed += 1
        say(f"memcli: {place.sentence}")

    def finish(self, total: int) -> int:
        """Say what was passed over; the exit code."""
        printer = self.printer
        if self.bad_lines:
            printer.note(
                f"{many(self.bad_lines, 'unreadable line')} passed over ({many(self.bad_bytes, 'byte')}) that might "
                "have matched."
            )
        for item, line in self.holding[:NAMED]:
            printer.note(f"An unreadable line contains it: memcli sessions show {_word(item.ref.shown)} --line {line}")
        if len(self.holding) > NAMED:
            printer.note(f"So do {len(self.holding) - NAMED} more unreadable lines.")
        if printer.terminal and not printer.json and self.form == "lines":
            printer.note(f"{many(self.matches, 'match', 'matches')} in {many(total, 'session')}.")
        if self.failed:
            return 3
        return 0 if self.matches else 1


def _row(item: Match) -> str:
    return f"archive:{item.row}" if item.ref.archived else str(item.row)


def _word(text: str) -> str:
    """A path as one word of a shell command."""
    from shlex import quote

    return quote(text)


def _text_lines(text: str, spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The lines of `text` that hold a match, as (start, end); a match over several lines gives all of them at once."""
    found: list[tuple[int, int]] = []
    for start, end in spans or ((0, 0),):
        left = text.rfind("\n", 0, start) + 1
        right = text.find("\n", end)
        right = len(text) if right < 0 else right
        if found and left <= found[-1][1]:
            found[-1] = (found[-1][0], max(right, found[-1][1]))
        else:
            found.append((left, right))
    return found


def _first_line(text: str) -> tuple[int, int]:
    end = text.find("\n")
    return 0, len(text) if end < 0 else end


__all__ = ["YELLOW", "View", "progress"]
