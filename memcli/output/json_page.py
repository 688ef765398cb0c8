"""Sessions as JSON: one document a session, on one line, so that several are JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli import times
from memcli.core import rows
from memcli.core.exporting import Entry, Facts
from memcli.model import Record
from memcli.output.rows import line

SUFFIX = ".json"


def session(
    facts: Facts, entries: Iterable[Entry], *, masked: bool = False, index: str = "", tz: str = ""
) -> Iterator[bytes]:
    """The document of one session, its records one after the other."""
    head = {**as_json(facts, tz), "masked": masked, "header": list(facts.header)}
    yield line(head)[:-2] + b',"records":['
    comma = b""
    for entry in entries:
        for value in _values(entry, tz):
            yield comma + line(value)[:-1]
            comma = b","
    yield b"]}\n"


def index(sessions: Sequence[tuple[Facts, str]], *, masked: bool = False, tz: str = "") -> Iterator[bytes]:
    """The document that names all: the facts of each session and its file, null for what could not be read."""
    found = [{**as_json(facts, tz), "file": name or None} for facts, name in sessions]
    yield line({"type": "index", "masked": masked, "sessions": found})


def as_json(facts: Facts, tz: str = "") -> dict[str, Any]:
    """The facts of a session as documented."""
    value: dict[str, Any] = {
        "type": "session",
        "agent": facts.agent,
        "era": facts.era or None,
        "key": facts.key,
        "title": facts.title,
        "preview": facts.preview,
        "created_at": facts.created_at,
        "updated_at": facts.updated_at,
        "updated_at_utc": times.utc(facts.updated_at, tz),
        "path": facts.path,
        "size": facts.size,
        "first": facts.first,
        "last": facts.last,
        "messages": facts.messages,
        "roles": dict(facts.roles),
        "unreadable": facts.lost,
        "unreadable_bytes": facts.lost_bytes,
        "damage": list(facts.damage),
    }
    if facts.why:
        value["why"] = facts.why
    return value


def _values(entry: Entry, tz: str) -> Iterator[dict[str, Any]]:
    if not entry.records:
        place = {"line": entry.line, "row": entry.row, "offset": entry.offset, "length": entry.length}
        yield {"type": "unreadable", **place, "flaw": entry.flaw}
    for record in entry.records:
        yield _record(entry, record, tz)


def _record(entry: Entry, record: Record, tz: str) -> dict[str, Any]:
    value = rows.record_json(entry.line, entry.row, record, entry.flaw, tz)
    if record.reasoning or record.calls:
        value["content"] = record.content
    return value
