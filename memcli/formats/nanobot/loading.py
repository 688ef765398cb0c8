"""One pass over a session file the way nanobot makes it: what it loads, what it passes over, what its
list shows."""

from __future__ import annotations

from typing import Any

from memcli.formats.nanobot.eras import Rules
from memcli.formats.nanobot.pieces import Piece, breaks_saving, pieces
from memcli.formats.nanobot.records import HEADER, STATE, is_preamble
from memcli.formats.nanobot.replay import Messages
from memcli.model import Decoded, Line
from memcli.storage.lines import is_blank

NAMED = 5
"""How many of the lines with one flaw are named; the others are only counted."""
CHUNK = 8192
"""Python's text mode decodes so many bytes at a time: a list that stops early meets no bad byte behind."""
LIST_ROWS, LIST_CHARACTERS = 200, 1_000_000  # _SESSION_LIST_PREVIEW_MAX_*


class Loading:
    """The state of one load; `take` every line, then read the public members.

    `rows` counts as model.AgentView wants it: no blank lines, no leading header. A place is the number of a
    row, or minus the number of a line that is none. `passed` are the places that were passed over, by flaw,
    as (how many, the first of them). `fatal` is (flaw, place) of what empties the session. `first` is what
    the first line is: "" (there is none), "blank", "header", "other" or "bad". `owner` is the key in a header
    on the first line that is not blank.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.messages = Messages(rules)
        self.rows = 0
        self.header: dict[str, Any] = {}
        self.headers: list[int] = []
        self.passed: dict[str, tuple[int, list[int]]] = {}
        self.fatal: tuple[str, int] | None = None
        self._decoded = 0
        self.unsavable = 0
        self.owner = ""
        self._untouched = True
        self.first = ""
        self._leading = True
        self._has_state = False
        self._scanning = rules.lists_by_scan
        self._scanned = 0
        self._characters = 0
        self._scan_failed = False
        self._scan_end = 0
        self._bad_byte = -1

    def take(self, line: Line, decoded: Decoded) -> None:
        """Take the next physical line."""
        row = not (line.raw is not None and is_blank(line.raw))
        if row and self._leading:
            self._leading = row = len(decoded.values) == 1 and is_preamble(decoded.values[0])
            row = not row
        place = self.rows + 1 if row else -line.number
        loaded = len(self.messages)
        for piece in pieces(line, decoded):
            self._list(piece, line)
            self._load(piece, place)
        loaded = len(self.messages) - loaded
        self.rows += max(int(row), loaded)  # a lone CR can put several messages on one line

    @property
    def empties(self) -> bool:
        """Whether the repair, too, comes back with nothing, so that a new session takes this one's place."""
        metadata = self.header.get("metadata")
        about = bool(metadata) and (isinstance(metadata, dict) or not self.rules.has_state)
        return self.fatal is not None or not (self.messages or about or self._has_state)

    @property
    def raises(self) -> bool:
        """Whether loading ends with an error each time, instead of an empty session."""
        return self.rules.raises_deep and self.fatal is not None and self.fatal[0] == "too-deep"

    @property
    def listed(self) -> bool:
        """Whether list_sessions shows the file, its name apart."""
        if self._scanning:  # the list read to the end
            failed = self._bad_byte >= 0
        else:
            read = -(-self._scan_end // CHUNK) * CHUNK
            failed = 0 <= self._bad_byte < read
        if not self.rules.lists_by_scan:
            return self.first == "header" and not failed
        if self.first == "bad" or self._scan_failed or failed:
            return not self.empties
        return self.first == "header"

    def _load(self, piece: Piece, place: int) -> None:
        value = piece.value
        if self._untouched and piece.flaw != "blank":
            self._untouched = False
            self.owner = _owner(value)
        if piece.flaw == "blank":
            self._pass_over_row("blank", place)
        elif piece.flaw:
            self._reject(piece, place)
        elif not isinstance(value, dict):
            if self.rules.skips_non_objects:
                self._pass_over("not-an-object", place)
            else:
                self._fail("not-an-object", place)
        elif value.get("_type") == HEADER:
            self.header = value
            self.headers.append(place)
            self._pass_over_row("header", place)
            if self.rules.dates_matter and not is_date(value.get("created_at")):
                self._fail("bad-date", place)
            self._note_unsavable(piece, value.get("metadata"), place)  # members beside it are not saved
        elif value.get("_type") == STATE and self.rules.has_state:
            self._has_state = self._has_state or _is_state(value.get("state"))
            self._pass_over_row("state", place)
            self._note_unsavable(piece, value, place)
        else:
            if self.rules.names_tool_calls and _has_unnamed_call(value):
                self._fail("unnamed-call", place)
            self.messages.add(value, place)
            self._note_unsavable(piece, value, place)

    def _reject(self, piece: Piece, place: int) -> None:
        """A piece that json.loads, or the decoding before it, refuses."""
        flaw = piece.flaw
        if flaw == "unread" or (flaw == "not-json" and self.rules.repairs):
            self._pass_over(flaw, place)
            return
        if flaw == "too-deep" and self.fatal is None:
            self._decoded = -(-piece.end // CHUNK) * CHUNK
        elif flaw == "not-utf8" and piece.at < self._decoded:
            self.fatal, self._decoded = None, 0  # met before the deep line, with which it was decoded
        self._fail(flaw, place)

    def _pass_over(self, flaw: str, place: int) -> None:
        count, named = self.passed.get(flaw, (0, []))
        if named[-1:] == [place]:  # a second piece of the same line
            return
        self.passed[flaw] = count + 1, named if len(named) == NAMED else [*named, place]

    def _pass_over_row(self, flaw: str, place: int) -> None:
        if place > 0:
            self._pass_over(flaw, place)

    def _fail(self, flaw: str, place: int) -> None:
        self.fatal = self.fatal or (flaw, place)

    def _note_unsavable(self, piece: Piece, saved: Any, place: int) -> None:
        if not (piece.plain or self.unsavable or self.rules.saves_ascii) and breaks_saving(saved):
            self.unsavable = place

    def _list(self, piece: Piece, line: Line) -> None:
        """Follow list_sessions: the first line, then up to the first user text of the first 200 rows."""
        if piece.flaw == "not-utf8" and self._bad_byte < 0:
            self._bad_byte = piece.at
        value = piece.value
        if not self.first:
            is_header = isinstance(value, dict) and value.get("_type") == HEADER
            bad = piece.flaw or not isinstance(value, dict)
            self.first = "blank" if piece.flaw == "blank" else "bad" if bad else "header" if is_header else "other"
            self._scan_end = piece.end
            self._scanning = self._scanning and self.first == "header"
        elif self._scanning and piece.flaw != "blank":
            self._scan_end = piece.end
            self._scan(piece, line)

    def _scan(self, piece: Piece, line: Line) -> None:
        value = piece.value
        kind = value.get("_type") if isinstance(value, dict) else None
        if self.rules.has_state and (kind == STATE or (piece.flaw and _starts_as_state(line.raw))):
            return
        self._scanned += 1
        self._characters += line.length if line.raw is None else len(line.raw.decode("utf-8", "replace")) + 1
        if self._scanned > LIST_ROWS or self._characters > LIST_CHARACTERS:
            self._scanning = False
        elif piece.flaw or piece.padded or not isinstance(value, dict):
            self._scanning, self._scan_failed = False, True
        elif kind != HEADER and value.get("role") == "user" and _shows_text(value.get("content")):
            self._scanning = False


def is_date(value: Any) -> bool:
    """Whether a header's time can be read; none at all does no harm."""
    from datetime import datetime

    if not value:
        return True
    try:
        datetime.fromisoformat(value)
    except (ValueError, TypeError):
        return False
    return True


def _is_state(value: Any) -> bool:
    """Whether 0.3.5 takes a provider's state for one (ProviderConversationState.from_private_record)."""
    if not isinstance(value, dict):
        return False
    pending = value.get("pending_messages", [])
    return (
        all(isinstance(value.get(name), str) and value[name] for name in ("kind", "provider", "model"))
        and type(value.get("version")) is int
        and isinstance(value.get("payload"), dict)
        and isinstance(pending, list)
        and all(isinstance(message, dict) for message in pending)
    )


def _owner(value: Any) -> str:
    key = value.get("key") if isinstance(value, dict) and value.get("_type") == HEADER else None
    return key if isinstance(key, str) else ""


def _starts_as_state(raw: bytes | None) -> bool:
    """The list passes over the provider's state without parsing it, torn or not."""
    import re

    return raw is not None and re.match(rb'\s*{\s*"_type"\s*:\s*"provider_state"\s*[,}]', raw) is not None


def _shows_text(content: Any) -> bool:
    """Whether the list can show this content: text, or blocks of type text."""
    if isinstance(content, list):
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        content = " ".join(text for text in texts if isinstance(text, str))
    return isinstance(content, str) and bool(content.strip())


def _has_unnamed_call(message: dict[str, Any]) -> bool:
    """A tool call whose name is a list or an object fails 0.3.5's renaming of old exec calls, in the
    repair too."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            function = call.get("function")
            name = (function if isinstance(function, dict) else call).get("name")
            if isinstance(name, list | dict):
                return True
    return False
