"""What the rows of a nanobot session file, and of its journal, mean (nanobot/session/manager.py,
agent/memory.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.reading import arguments_text, call_of, parts, text_or_none
from memcli.model import Header, Record

HEADER = "metadata"
STATE = "provider_state"


def score(values: Sequence[Any]) -> int:
    """How surely these first values of a file are nanobot's.

    98 with a header, 90 for journal entries; rows alone look like anyone's chat, a field that only
    nanobot writes lifts them to 80.
    """
    rows = [value for value in values if isinstance(value, dict)]
    if any(row.get("_type") == HEADER and ("created_at" in row or "metadata" in row) for row in rows):
        return 98
    if any(row.get("_type") == STATE and isinstance(row.get("state"), dict) for row in rows):
        return 95
    if rows and all(is_journal_entry(row) for row in rows):
        return 90
    messages = [row for row in rows if row.get("role") in _ROLES and "content" in row]
    if not messages:
        return 0
    if any(not _MARKS.isdisjoint(row) for row in messages):
        return 80
    return 40 if all(_is_naive_time(row.get("timestamp")) for row in messages) else 15


def header(value: Any) -> Header | None:
    """The header: `_type` is "metadata"; its title is inside its `metadata`."""
    if not isinstance(value, dict) or value.get("_type") != HEADER:
        return None
    metadata = value.get("metadata")
    return Header(
        key=_text(value.get("key")),
        title=_text(metadata.get("title")) if isinstance(metadata, dict) else None,
        created_at=_text(value.get("created_at")),
        updated_at=_text(value.get("updated_at")),
    )


def is_preamble(value: Any) -> bool:
    """Headers, and the provider's private conversation state that 0.3.5 keeps behind the header."""
    return isinstance(value, dict) and value.get("_type") in (HEADER, STATE)


def is_journal_entry(value: Any) -> bool:
    """Whether a value is an entry of history.jsonl: whole cursor, time to the minute or second, text."""
    return (
        isinstance(value, dict)
        and type(value.get("cursor")) is int
        and isinstance(value.get("content"), str)
        and _is_stamp(value.get("timestamp"))
    )


def record(value: Any) -> Record:
    """The message, or the journal entry, that a value is; anything else shows as text without a role."""
    if not isinstance(value, dict):
        return Record(content=arguments_text(value))
    if "role" not in value and is_journal_entry(value):
        return Record(
            role="journal",
            content=value["content"],
            timestamp=value["timestamp"],
            id=value["cursor"],
            name=_text(value.get("session_key")),
        )
    if is_preamble(value):
        return Record(content=arguments_text(value))
    body = parts(value.get("content"))
    calls = value.get("tool_calls")
    role = value.get("role")
    return Record(
        role=role if isinstance(role, str) else "",
        content=body.content if value.keys() & _SAID else arguments_text(value),
        timestamp=text_or_none(value.get("timestamp")),
        id=text_or_none(value.get("id")),
        reasoning=_reasoning(value, body.reasoning),
        calls=(*body.calls, *map(call_of, calls if isinstance(calls, list) else ())),
        answers=text_or_none(value.get("tool_call_id")) or body.answers,
        name=_text(value.get("name")) or text_or_none(value.get("sender_id")),
    )


def _reasoning(value: dict[str, Any], inside: str) -> str:
    """Each thought once: providers give the same text as reasoning_content and as thinking blocks."""
    blocks = parts(value.get("thinking_blocks")).reasoning
    texts = (_text(value.get("reasoning_content")) or "", blocks, inside)
    return "\n".join(dict.fromkeys(text for text in texts if text))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_stamp(value: Any) -> bool:
    """YYYY-MM-DD HH:MM, as MemoryStore writes it; nanobot accepts any text, other agents write an ISO
    time."""
    return isinstance(value, str) and len(value) in (16, 19) and value[4:5] == value[7:8] == "-" and value[10] == " "


def _is_naive_time(value: Any) -> bool:
    """datetime.now().isoformat(): local time with microseconds and without a zone."""
    return isinstance(value, str) and len(value) in (19, 26) and value[10] == "T"


_ROLES = ("user", "assistant", "tool", "system")
_SAID = {"content", "tool_calls", "reasoning_content", "thinking_blocks"}
_MARKS = frozenset(
    {
        *(
            "_command",
            "_channel_delivery",
            "_hidden_history",
            "_automation_turn",
            "_cron_turn",
            "_runtime_context",
        ),
        *(
            "_session_message",
            "_recovery_interrupted",
            "_webui_message_source",
            "latency_ms",
            "injected_event",
        ),
        *("subagent_task_id", "cli_apps", "webui_turn_id"),
    }
)
