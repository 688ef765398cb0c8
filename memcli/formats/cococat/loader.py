"""What CocoCat itself makes of a file: its readers differ, and one bad row costs more in each generation.

V1.2 and later parse a journal strictly (json.loads, blank lines skipped); V1.0, V1.1 and the web pages skip
bad rows. The group chat reader stops at the first bad row. V2 has a tolerant reader and a strict one
(Session.read).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.formats.cococat.places import HISTORY, MESSAGES
from memcli.formats.cococat.records import is_group_message, is_summary, is_task
from memcli.model import AgentView, Decoded, Line
from memcli.storage.decode import decode
from memcli.storage.lines import MAX_LINE, is_blank

IN_PROMPT = 30
"""V2 puts the last 30 user and assistant rows of a session into a prompt."""


class _Tally:
    """Counts and first places of what matters to any of the readers; one instance a file, O(1) a row."""

    def __init__(self) -> None:
        self.rows = 0
        self.counts = dict.fromkeys(_FAULTS, 0)
        self.first = dict.fromkeys(_FAULTS, 0)
        self.first_unreadable = 0
        self.tasks = self.users = self.group = self.spoken = 0
        self.ended = True

    def add(self, line: Line, decoded: Decoded) -> None:
        self.rows += 1
        self.ended = line.ended
        fault = _fault(line, decoded)
        if fault:
            self.counts[fault] += 1
            self.first[fault] = self.first[fault] or self.rows
            if fault in ("utf8", "parse"):
                self.first_unreadable = self.first_unreadable or self.rows
        for value in decoded.values:
            self._see(value)

    def _see(self, value: Any) -> None:
        if is_task(value):
            self.tasks += 1
        elif is_group_message(value):
            self.group += 1
        elif is_summary(value):
            self.users += 1
        elif isinstance(value, dict) and value.get("role") in ("user", "assistant"):
            self.spoken += 1


def view(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
    """What the agent loads from the file called `name`; rows are lines that are not blank.

    A journal is history.jsonl, or any file of V1 tasks; a group chat is messages.jsonl, or any file of its
    rows; every other file is a V2 session. `era` is not used: one folder may hold several, and names and rows
    tell more.
    """
    tally = _Tally()
    for line, decoded in lines:
        if line.raw is None or not is_blank(line.raw):
            tally.add(line, decoded)
    if name == MESSAGES or (tally.group and name != HISTORY and not tally.tasks):
        return _of_group(tally)
    if name == HISTORY or tally.tasks or tally.users:
        return _of_user(tally) if tally.tasks == 0 and tally.users + tally.spoken else _of_agent(tally)
    return _of_session(tally)


def _of_agent(tally: _Tally) -> AgentView:
    """An agent's journal: every task reads it after its work, and an exception there fails the task."""
    if tally.first["utf8"]:
        clause = f"row {tally.first['utf8']} is not UTF-8, so every task of this agent fails"
        return AgentView(0, tally.rows, False, clause, _notes(tally, "No reader of CocoCat gets past such a row."))
    skipped = tally.counts["parse"]
    broken = next((kind for kind in ("parse", "shape", "prompt") if tally.first[kind]), "")
    if broken:
        clause = f"row {tally.first[broken]} {_BROKEN[broken]}, so every task of this agent fails"
        left = tally.rows - skipped - tally.counts["spaces"] - tally.counts["unread"]
        older = "Older readers (V1.0, V1.1) and the web pages skip what does not parse"
        note = f"{older}: they see {left} of {tally.rows} rows." if skipped else ""
        return AgentView(0, tally.rows, True, clause, _notes(tally, note))
    return _of_the_rest(tally)


def _of_user(tally: _Tally) -> AgentView:
    """A user's journal: read strictly by that user's Dream; compaction swallows the same exception."""
    if tally.first_unreadable:
        kind = "is not UTF-8" if tally.first_unreadable == tally.first["utf8"] else _BROKEN["parse"]
        clause = f"row {tally.first_unreadable} {kind}, so every Dream of this user fails"
        note = "Compaction gives up on this file without a word, so it only grows."
        return AgentView(0, tally.rows, True, clause, _notes(tally, note))
    return _of_the_rest(tally)


def _of_group(tally: _Tally) -> AgentView:
    """A group chat: reading stops at the first bad row; marking as read writes back only what was read."""
    row = tally.first_unreadable
    if not row:
        return _of_the_rest(tally)
    lost = tally.rows - row
    gone = f"row {row} and the {lost} behind it" if lost else f"row {row}"
    note = f"The next mark-as-read rewrites the file from what was read: {gone} will be gone."
    clause = f"reading stops at row {row}, which {_BROKEN['parse']}"
    if row == tally.first["utf8"]:
        clause = f"row {row} is not UTF-8 and reading stops there at the latest"
    return AgentView(row - 1, tally.rows, True, clause, _notes(tally, note))


def _of_session(tally: _Tally) -> AgentView:
    """A V2 session, as the tolerant reader loads it."""
    notes = []
    if tally.spoken > IN_PROMPT:
        notes.append(f"Only the last {IN_PROMPT} user and assistant rows go into a prompt.")
    if tally.first["utf8"]:
        clause = f"row {tally.first['utf8']} is not UTF-8, so reading the file fails"
        return AgentView(0, tally.rows, True, clause, _notes(tally, *notes))
    if tally.first["parse"]:
        notes.append(f"The strict reader of the same agent fails at row {tally.first['parse']} and gets nothing.")
    return _of_the_rest(tally, *notes)


def _of_the_rest(tally: _Tally, *notes: str) -> AgentView:
    """What a reader loads that skips what it cannot use."""
    away = [kind for kind in ("parse", "spaces", "unread") if tally.counts[kind]]
    clause = ", and ".join(f"row {tally.first[kind]} {_SKIPPED[kind]}" for kind in away)
    seen = tally.rows - sum(tally.counts[kind] for kind in away)
    return AgentView(seen, tally.rows, True, clause, _notes(tally, *notes))


def _notes(tally: _Tally, *more: str) -> tuple[str, ...]:
    notes = [note for note in more if note]
    odd = tally.first["shape"]
    if odd and not tally.tasks:
        notes.append(f"Row {odd} is JSON but not an object; what this reader makes of it is not known.")
    if tally.rows and not tally.ended:
        notes.append("No newline stands behind the last row: the next append will be glued to it.")
    return tuple(notes)


def _fault(line: Line, decoded: Decoded) -> str:
    """What Python's json.loads, given this line of a text file, would stumble over; "" for nothing."""
    if line.raw is None:
        return "unread"
    if decoded.flaw not in _HARMLESS or b"\r" in line.raw[:-1]:
        try:
            text = line.raw.decode("utf-8")
        except UnicodeDecodeError:
            return "utf8"
        if not text.strip():
            return "spaces"
        if not _reads_in_pieces(line.raw):
            return "parse"
    if not all(isinstance(value, dict) for value in decoded.values):
        return "shape"
    odd = any("prompt" in value and isinstance(value["prompt"], int | float | None) for value in decoded.values)
    return "prompt" if odd else ""


def _reads_in_pieces(raw: bytes) -> bool:
    """Whether CRs part the line into good rows: Python's text mode takes each of them for a newline."""
    pieces = [piece for piece in raw.split(b"\r") if piece.strip()]
    return all(decode(piece).flaw in _HARMLESS for piece in pieces)


# json.loads accepts NaN and lone surrogates as orjson does not
_HARMLESS = ("", "nan", "lone-surrogate")
_FAULTS = ("utf8", "parse", "shape", "prompt", "spaces", "unread")
_BROKEN = {"parse": "does not parse", "shape": "is not an object", "prompt": "has a prompt that is not text"}
_SKIPPED = {
    "parse": "does not parse and is skipped",
    "spaces": "holds nothing but spaces and is skipped",
    "unread": f"is over {MAX_LINE >> 20} MiB and was not judged",
}
