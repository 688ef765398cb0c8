"""Where results go: tables or tab-separated columns, plain pages, or JSON lines; talk goes to stderr.

One Printer is made by each command from its options; nothing else in memcli writes to stdout.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from memcli import settings
from memcli.model import Workspace
from memcli.output.columns import Column
from memcli.output.safe_text import cell, document, encode, field

if TYPE_CHECKING:
    from memcli.query import Query

BOLD, DIM, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN = "1", "2", "31", "32", "33", "34", "35", "36"


LINES = 1000


class Printer:
    """Prints one command's rows and pages in the form that was asked for.

    `json` one object a line; else `terminal` tells between a table and tab-separated columns. `keep` and `shape` are the
    compiled --where and --query. `quiet` silences notes and progress.
    """

    def __init__(
        self,
        *,
        json: bool = False,
        query: str | None = None,
        where: str | None = None,
        color: str = "auto",
        quiet: bool = False,
    ) -> None:
        self.shape = None if query is None else _compiled(query)
        self.keep = None if where is None else _compiled(where)
        self.json = json or self.shape is not None
        self.quiet = quiet
        self.out: BinaryIO = sys.stdout.buffer
        self.terminal = sys.stdout.isatty()
        self.colour = color == "always" or (color == "auto" and self.terminal and not settings.colour_refused())
        self.encoding = "utf-8" if self.json else (sys.stdout.encoding or "utf-8")
        self._width = 0

    @property
    def width(self) -> int:
        """Columns of the terminal; 80 when there is none."""
        if not self._width:
            from shutil import get_terminal_size

            self._width = max(20, get_terminal_size((80, 24)).columns)
        return self._width

    def wants(self, row: dict[str, Any]) -> bool:
        """Whether --where keeps this row."""
        return self.keep is None or self.keep.keeps(row)

    def row(self, row: dict[str, Any]) -> None:
        """Write one JSON row, shaped by --query. The caller has asked `wants`."""
        from memcli.output.rows import line

        self.out.write(line(row if self.shape is None else self.shape.shape(row)))

    def rows(
        self,
        columns: Sequence[Column],
        rows: Iterable[Any],
        *,
        cells: Callable[[Any], Sequence[str]],
        fields: Callable[[Any], Sequence[str]],
        as_json: Callable[[Any], dict[str, Any]],
    ) -> int:
        """Write rows as a table, tab-separated columns or JSON; returns how many.

        `cells` gives what the table shows, `fields` what a script gets, `as_json` the documented object.
        """
        count = 0
        if self.json or self.keep is not None:
            kept = []
            for row in rows:
                value = as_json(row)
                if not self.wants(value):
                    continue
                count += 1
                if self.json:
                    self.row(value)
                else:
                    kept.append(row)
            if self.json:
                return count
            rows = kept
        if self.terminal:
            from memcli.output.columns import table

            lines = table(columns, [cells(row) for row in rows], self.width)
            if len(lines) > 1:
                self.page(self.paint(lines[0], DIM))
                self.out.write(encode("\n".join(lines[1:]) + "\n", self.encoding))
            return len(lines) - 1
        return self.tabs([fields(row) for row in rows])

    def tabs(self, rows: Sequence[Sequence[str]]) -> int:
        """Write tab-separated lines; the last column of each is a path, or text like the others."""
        lines: list[str] = []
        for fields in rows:
            line = "\t".join(fields)
            if _is_plain(fields):
                lines.append(line + "\n")
            else:
                self.out.write(encode("".join(lines), self.encoding))
                self.out.write(tab_line(fields, self.encoding))
                lines = []
        self.out.write(encode("".join(lines), self.encoding))
        return len(rows)

    def page(self, text: str) -> None:
        """Write already sanitized, possibly painted text and a newline."""
        self.out.write(encode(text + "\n", self.encoding))

    def lines(self, lines: Sequence[bytes]) -> None:
        """Write finished lines, so many at a time that the reader of a pipe has something to do meanwhile."""
        for start in range(0, len(lines), LINES):
            self.out.write(b"".join(lines[start : start + LINES]))

    def bytes(self, data: bytes) -> None:
        """Write bytes as they are (paths, --raw)."""
        self.out.write(data)

    def flush(self) -> None:
        """Push what was written out, so that a follower shows it now."""
        self.out.flush()

    def paint(self, text: str, *codes: str) -> str:
        """`text`, sanitized, in colour when colour is on."""
        safe = document(text)
        return f"\x1b[{';'.join(codes)}m{safe}\x1b[0m" if self.colour and safe else safe

    def note(self, sentence: str) -> None:
        """Say something on stderr, unless -q."""
        if not self.quiet:
            self.flush()
            say(sentence)

    def notes(self, workspaces: Sequence[Workspace]) -> None:
        """Say once what could not be taken from the inputs."""
        for sentence in dict.fromkeys(note for workspace in workspaces for note in workspace.notes):
            self.note(sentence)


def _compiled(expression: str) -> Query:
    from memcli import query

    return query.compiled(expression)


def tab_line(fields: Sequence[str], encoding: str = "utf-8") -> bytes:
    """One tab-separated line, every column sanitized and escaped."""
    text = "".join(fields)
    if text.isprintable() and "\\" not in text:
        return ("\t".join(fields) + "\n").encode(encoding, "backslashreplace")
    return b"\t".join([_field(value, encoding) for value in fields]) + b"\n"


def _is_plain(fields: Sequence[str]) -> bool:
    """Whether no column needs an escape: one look at all of them, as nearly every line is so."""
    text = "".join(fields)
    return text.isprintable() and "\\" not in text


def _field(value: str, encoding: str) -> bytes:
    if value.startswith("/"):
        raw = path_bytes(value)
        if raw is not None:
            return raw.replace(b"\\", b"\\\\").replace(b"\t", b"\\t").replace(b"\n", b"\\n")
    return encode(field(value), encoding)


def path_bytes(path: str) -> bytes | None:
    """The bytes that a path has on disk when they are not UTF-8, so that xargs can use them; None for any other text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(path)
        except UnicodeEncodeError:
            return None
    return None


def say(sentence: str) -> None:
    """One sanitized line on stderr."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    talk(encode(cell(sentence) + "\n", encoding))


def talk(data: bytes) -> None:
    """Write bytes to stderr, where somebody may listen or nobody."""
    stream = sys.stderr
    raw = getattr(stream, "buffer", None)
    try:
        if raw is not None:
            stream.flush()
            raw.write(data)
            raw.flush()
        elif stream is not None:
            stream.write(data.decode("utf-8", "replace"))
    except (OSError, ValueError):
        pass  # nobody listens; the exit code still tells
