"""What can be expected of rows that belong to no agent in particular: nothing, but links and pairs are known by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.jsonl.records import is_preamble, record
from memcli.storage.facts import Call, Columns, HeaderRules, RowRules

CURSORS = "numbers"
ENDS_AT_CR = False
_KINDS = ("session", "title", "session_meta")


def header_rules(era: str) -> HeaderRules | None:
    """A file without a header is as good as one with."""
    return None


def columns(values: Sequence[Any]) -> Columns:
    """The columns of any rows. A plain row (role and content at its top, no calls) is read without the long way."""
    ids: list[Any] = []
    times: list[Any] = []
    roles: list[Any] = []
    parents: list[Any] = []
    calls: list[Call] = []
    for index, value in enumerate(values):
        parents.append(value.get("parentId") or value.get("parentUuid"))
        if value.keys() <= _PLAIN and type(value.get("content")) is str:
            ids.append(value.get("id"))
            times.append(value.get("timestamp"))
            roles.append(value.get("role"))
            continue
        found = record(value)
        ids.append(value.get("uuid", found.id))
        times.append(found.timestamp)
        roles.append(found.role or None)
        calls += [(index, False, call.id) for call in found.calls if call.id]
        if found.answers:
            calls.append((index, True, found.answers))
    linked = any(parents) or any("parentId" in value or "parentUuid" in value for value in values)
    return Columns(ids, times, roles, parents=parents if linked else None, calls=calls)


journal_columns = columns


def headers(values: Sequence[Any]) -> Sequence[int]:
    """Which of the values are headers of a known program."""
    return [index for index, value in enumerate(values) if value.get("type") in _KINDS and is_preamble(value)]


def cursor(text: str) -> int | None:
    """A whole number, None for anything else."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= 18 else None


def used(number: int | None, present: bool, processed: bool) -> int | None:
    """No agent is known that would go by it."""
    return None


def upcoming(allocated: int | None, last: int | None, largest: int | None) -> int | None:
    """Nobody gives out numbers."""
    return None


def stamp(seconds: float) -> str:
    """A time in UTC."""
    from memcli.times import iso

    return iso(seconds)


def counted_beside(path: str) -> tuple[str, str] | None:
    """No such file is known."""
    return None


_PLAIN = {"id", "role", "content", "timestamp", "name", "sessionKey", "parentId", "parentUuid"}
ROWS = RowRules(linked=True, pairs=True)
JOURNAL = RowRules()
