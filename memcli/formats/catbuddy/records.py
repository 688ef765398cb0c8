"""catbuddy's rows: a snake_case header without a type marker, camelCase messages, and the journal's rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.reading import call_of, plain_text, text_or_none, value_text
from memcli.model import Header, Record


def score(values: Sequence[Any]) -> int:
    """How surely these values are catbuddy's: the surest of them decides."""
    return max((_score(value) for value in values), default=0)


def header(value: Any) -> Header | None:
    """The header: an object without a role, with `key` or two of the other members that catbuddy writes."""
    if not isinstance(value, dict) or "role" in value or value.get("_type", "metadata") != "metadata":
        return None
    get = value.get  # asked for 20,000 files in a row
    key = get("key")
    if not isinstance(key, str) and len(_HEADER & value.keys()) < 2:
        return None
    title, preview, created, updated = get("title"), get("preview"), get("created_at"), get("updated_at")
    found = (
        key if type(key) is str and key else text_or_none(key),
        title if type(title) is str and title else text_or_none(title),
        preview if type(preview) is str and preview else text_or_none(preview),
        created if type(created) is str and created else text_or_none(created),
        updated if type(updated) is str and updated else text_or_none(updated),
    )
    return tuple.__new__(Header, found)


def is_preamble(value: Any) -> bool:
    """Whether a leading value is the header; catbuddy has nothing else before its messages."""
    return header(value) is not None


def record(value: Any) -> Record:
    """The message, or the journal row (role "journal"), that a value is.

    The snake_case members of a file from an older agent are read too, though catbuddy passes over them.
    """
    if not isinstance(value, dict):
        return Record(content=value_text(value))
    if "role" not in value and "content" not in value:
        return Record(content=value_text(value), timestamp=text_or_none(value.get("timestamp")))
    if "role" not in value and "cursor" in value:
        stamp = text_or_none(value.get("at")) or text_or_none(value.get("timestamp"))
        return Record("journal", plain_text(value["content"]), stamp, _identity(value["cursor"]))
    role = value.get("role")
    calls = _either(value, "toolCalls", "tool_calls")
    return Record(
        role if isinstance(role, str) else "",
        plain_text(value.get("content")),
        text_or_none(value.get("timestamp")),
        _identity(value.get("id")),
        plain_text(_either(value, "reasoningContent", "reasoning_content")),
        tuple(call_of(call) for call in calls) if isinstance(calls, list) else (),
        text_or_none(_either(value, "toolCallId", "tool_call_id")),
        text_or_none(value.get("name")),
    )


_HEADER = {"title", "preview", "created_at", "updated_at", "last_consolidated", "metadata"}
_CAMEL = {"toolCalls", "toolCallId", "reasoningContent", "tokenUsage", "latencyMs"}
_ROLES = ("user", "assistant", "tool", "system")


def _score(value: Any) -> int:
    if not isinstance(value, dict) or "_type" in value:
        return 0
    role = value.get("role")
    if isinstance(role, str):
        if isinstance(value.get("sessionKey"), str):
            return 95
        return 60 if role in _ROLES and _CAMEL & value.keys() and "message" not in value else 0
    if isinstance(value.get("key"), str):
        return 90 if {"preview", "last_consolidated"} <= value.keys() else 30 if _HEADER & value.keys() else 0
    if isinstance(value.get("cursor"), int) and isinstance(value.get("at"), str) and "content" in value:
        return 80
    return 0


def _identity(value: Any) -> str | int | None:
    """An id as stored; a number with a fraction as text."""
    return value if isinstance(value, int) and not isinstance(value, bool) else text_or_none(value)


def _either(value: dict[str, Any], camel: str, snake: str) -> Any:
    return value[camel] if camel in value else value.get(snake)
