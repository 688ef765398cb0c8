"""What catbuddy itself makes of a session file (session manager: `_load`, `list`, `addMessage`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.formats.catbuddy.names import file_name
from memcli.formats.catbuddy.records import is_preamble
from memcli.model import FAILS, NAMELESS, AgentView, Decoded, Line
from memcli.storage.decode import decode
from memcli.storage.lines import is_blank

KEPT = 2000
"""At every message catbuddy drops the oldest rows over this number."""


def view(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
    """Each non-empty line is parsed strictly: the first is the header, and one bad line empties the chat.

    `total` counts the rows behind the leading header. Memory: O(1) a row.
    """
    tally = _Tally()
    for line, decoded in lines:
        tally.take(line, decoded)
    return tally.view(name)


class _Tally:
    def __init__(self) -> None:
        self.rows = 0
        self.leading = True
        self.lines = 0  # as catbuddy splits them: a lone CR is a line
        self.header: dict[str, Any] | None = None  # None: not known
        self.headers = 0
        self.header_bad = ""
        self.eaten = False
        self.bad = 0
        self.first_bad = ""
        self.unknown = ""
        self.foreign = 0
        self.foreign_key = ""

    def take(self, line: Line, decoded: Decoded) -> None:
        raw = line.raw
        if raw == b"":
            return
        self.lines += 1
        blank = raw is not None and is_blank(raw)
        value = decoded.values[0] if decoded.values else None
        self.leading = self.leading and (blank or (len(decoded.values) == 1 and is_preamble(value)))
        row = not blank and not self.leading
        self.headers += self.leading and not blank
        self.rows += row
        place = f"row {self.rows}" if row else f"line {line.number}"
        fault = "is blank but for a carriage return and does not parse" if blank else _fault(raw, decoded)
        if self.lines == 1:
            self.take_header(value, bool(decoded.values), place, fault, row)
        elif fault:
            self.bad += 1
            self.first_bad = self.first_bad or f"{place} {fault}"
        if not blank and not fault and not decoded.values:
            self.unknown = self.unknown or f"{place[0].upper()}{place[1:]} cannot be checked here"
        if row and isinstance(value, dict) and self.header:
            self.compare(value, self.header.get("key"))

    def take_header(self, value: Any, known: bool, place: str, fault: str, row: bool) -> None:
        """Line 1 is the header whatever it holds."""
        if fault or (known and value is None):
            self.header_bad = f"{place}, where the header belongs, {fault or 'holds null'}"
        elif row:
            self.eaten = True
        if known:
            self.header = value if isinstance(value, dict) else {}

    def compare(self, value: dict[str, Any], key: Any) -> None:
        owner = value.get("sessionKey")
        if isinstance(owner, str) and isinstance(key, str) and owner != key:
            self.foreign += 1
            self.foreign_key = self.foreign_key or owner

    def view(self, name: str) -> AgentView:
        listed = self.lines > 1 and not self.header_bad
        reason = self.reason()
        seen = 0 if self.header_bad or self.bad else self.rows - self.eaten
        return AgentView(seen, self.rows, listed, reason, tuple(self.notes(name, listed)), self.list_fault(listed))

    def list_fault(self, listed: bool) -> str:
        """The list is sorted by `updated_at`, of which a method is called."""
        if not listed or self.header is None:
            return ""
        if not isinstance(self.header.get("updated_at"), str):
            return FAILS
        return "" if isinstance(self.header.get("key"), str) else NAMELESS

    def reason(self) -> str:
        if self.header_bad:
            return self.header_bad
        if self.bad:
            rest = self.bad - 1
            more = f" (nor do{'es' if rest == 1 else ''} {_number(rest, 'more line')})" if rest else ""
            return self.first_bad + more
        return "row 1 stands where the header belongs and is taken for it" if self.eaten else ""

    def notes(self, name: str, listed: bool) -> list[str]:
        notes = []
        if not self.lines:
            notes.append("The file is empty: the chat is not listed, opens empty, and every new message fails.")
            return notes
        if self.header_bad:
            notes.append("The chat is not listed, opens empty, and every new message to it fails.")
        elif self.bad:
            notes.append("The chat is listed but opens empty; each new message to it fails and leaves the file alone.")
        elif not listed:
            notes.append("The file holds a header only: the chat is not listed until it gets a message.")
        if self.header is not None and not self.header_bad:
            notes += _header_notes(self.header, name)
        if self.headers > 1:
            notes.append(f"{_number(self.headers - 1, 'more header')} below the first will be read as messages.")
        if self.unknown:
            notes.append(f"{self.unknown}; whether the agent loads the file is unknown.")
        if self.foreign:
            notes.append(f"{_number(self.foreign, 'row')} of another session ({self.foreign_key}) count as this one's.")
        if self.rows >= KEPT and not self.bad and not self.header_bad:
            notes.append(f"The agent keeps {KEPT} rows: its next message drops the oldest.")
        return notes


def _header_notes(header: dict[str, Any], name: str) -> list[str]:
    notes = []
    key = header.get("key")
    if not isinstance(key, str):
        notes.append("The header has no key: the list shows a nameless chat, and every new message to it fails.")
    elif file_name(key) != name:
        notes.append(
            f"The file should be called {file_name(key)}: the agent looks there when it opens the chat, "
            "so it shows another file's rows or an empty chat."
        )
    if not isinstance(header.get("updated_at"), str):
        notes.append("The header has no updated_at: with a second session beside it the agent's whole list can fail.")
    return notes


def _fault(raw: bytes | None, decoded: Decoded) -> str:
    """Why `JSON.parse` in Node refuses the line, "" when it takes it or when that cannot be told."""
    if not decoded.flaw:
        return "" if decoded.values else "does not parse"
    if raw is not None and raw.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark and does not parse"
    if raw is not None and b"\0" in raw:
        return "holds NUL bytes and does not parse"
    if raw is not None and decoded.flaw == "invalid-utf8":  # there may be more wrong with it than its bytes
        return _fault(None, decode(raw.decode("utf-8", "replace").encode()))
    # Node reads invalid UTF-8 as U+FFFD, and takes lone surrogates, any depth and any number of digits
    if decoded.flaw in _NODE_TAKES and (len(decoded.values) == 1 or decoded.flaw in _NOT_CHECKED):
        return ""
    return "does not parse"


_NOT_CHECKED = ("oversize-line", "too-deep", "huge-number")
_NODE_TAKES = ("invalid-utf8", "lone-surrogate", "duplicate-keys", *_NOT_CHECKED)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"
