"""Rows of any message log: roles, texts, times, ids and calls under the names that programs give them.

Known by name: plain role/content logs, OpenAI, Claude Code (`message` inside), Pi and OpenClaw (`message`
inside, `type: session` first), Codex (`payload` inside, `session_meta` first), Gemini (`parts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.reading import (
    CALLS,
    RESULTS,
    THOUGHTS,
    Parts,
    call_of,
    parts,
    plain_text,
    text_or_none,
    value_text,
)
from memcli.model import Header, Record, ToolCall


def score(values: Sequence[Any]) -> int:
    """Low for anything, so that every other format goes first; 70 for rows in an envelope known here."""
    return max((_score(value) for value in values), default=0)


def header(value: Any) -> Header | None:
    """The first row of a Pi, OpenClaw or Codex file, and the title row that oh-my-pi puts before it.

    The key is left to the file's name: a fork repeats its parent's id.
    """
    if not isinstance(value, dict) or "message" in value:
        return None
    kind = value.get("type")
    if kind == "session" and ("cwd" in value or "version" in value):
        return Header(created_at=text_or_none(value.get("timestamp")))
    if kind == "title" and isinstance(value.get("title"), str):
        return Header(title=text_or_none(value["title"]))
    if kind == "session_meta" and isinstance(value.get("payload"), dict):
        stamp = value["payload"].get("timestamp", value.get("timestamp"))
        return Header(created_at=text_or_none(stamp))
    return None


def is_preamble(value: Any) -> bool:
    """Whether a leading value is one of those headers."""
    return header(value) is not None


def record(value: Any) -> Record:
    """The message that a value is, as far as its names tell.

    Several texts in one row (a prompt and its response) stand one below the other. A row without any text is
    shown as `name: value` lines of what it has, so that nothing in it is hidden from a search.
    """
    if not isinstance(value, dict):
        return Record(content=value_text(value))
    body = _body(value)
    found = _parts(body)
    calls = found.calls or _calls(body)
    role = _role(value, body)
    content = found.content
    if not found.content and not found.reasoning and not calls and not any(name in body for name in _TEXTS):
        shown = {name: member for name, member in value.items() if not role or name not in _LABELS}
        content = value_text(shown) if shown else ""
    return Record(
        role,
        content,
        _first(_TIMES, value, body),
        _identity(value, body),
        found.reasoning,
        calls,
        found.answers or _first(("tool_call_id", "toolCallId", "tool_use_id"), body, value),
        _first(("name", "toolName", "tool_name"), body, value),
    )


_ROLES = ("role", "sender", "author", "speaker", "from")
_KINDS = ("type", "kind")
_TEXTS = (
    *("content", "text", "message", "msg", "body", "parts", "prompt", "question", "instruction", "input"),
    *("command", "response", "response_summary", "answer", "completion", "output", "summary", "value"),
    *("errorMessage",),
)
_THINKING = ("reasoning_content", "reasoningContent", "reasoning", "thinking", "thinking_blocks")
_TIMES = (
    *("timestamp", "ts", "time", "created_at", "createdAt", "create_time", "created", "at", "date"),
    *("datetime", "updated_at", "updatedAt"),
)
_IDENTITIES = ("id", "uuid", "messageId", "message_id")
_LABELS = (*_KINDS, *_IDENTITIES, "parentId", "parentUuid", "timestamp")
_ENVELOPES = ("message", "msg", "response_item", "event_msg", "text", "item", "event")
"""Types that tell nothing about who speaks."""


def _score(value: Any) -> int:
    if not isinstance(value, dict):
        return 1
    inner = _body(value)
    if is_preamble(value) or (inner is not value and {"type", "timestamp"} <= value.keys()):
        return 70
    return 5 if any(name in value for name in _TEXTS) else 2


def _body(value: dict[str, Any]) -> dict[str, Any]:
    """The object that holds the message: the row, or what is inside it."""
    for name in ("message", "payload", "item", "msg"):
        inner = value.get(name)
        if isinstance(inner, dict) and inner:
            return inner
    return value


def _parts(body: dict[str, Any]) -> Parts:
    """Texts and thoughts of the members, or of the row itself when it is a block that `parts` knows."""
    if body.get("type") in (*CALLS, *THOUGHTS, *RESULTS) and "role" not in body:
        return parts(body)
    found = [parts(body[name]) for name in _TEXTS if name in body]
    thoughts = [plain_text(body.get(name)) for name in _THINKING] + [part.reasoning for part in found]
    return Parts(
        "\n".join(dict.fromkeys(part.content for part in found if part.content)),
        "\n".join(dict.fromkeys(thought for thought in thoughts if thought)),
        tuple(call for part in found for call in part.calls),
        next((part.answers for part in found if part.answers), None),
    )


def _calls(body: dict[str, Any]) -> tuple[ToolCall, ...]:
    for name in ("tool_calls", "toolCalls"):
        if isinstance(body.get(name), list):
            return tuple(call_of(call) for call in body[name])
    return (call_of(body["function_call"]),) if isinstance(body.get("function_call"), dict) else ()


def _role(value: dict[str, Any], body: dict[str, Any]) -> str:
    """The first word that says who speaks: of the message before the row, a role before a mere type."""
    for names in (_ROLES, _KINDS):
        for holder in (body, value) if body is not value else (value,):
            for name in names:
                word = holder.get(name)
                if isinstance(word, dict):
                    word = word.get("role") or word.get("name") or word.get("username")
                if isinstance(word, str) and word and (names is _ROLES or word not in _ENVELOPES):
                    return word
    return ""


def _identity(value: dict[str, Any], body: dict[str, Any]) -> str | int | None:
    for holder in (value, body):
        for name in _IDENTITIES:
            found = holder.get(name)
            if isinstance(found, int) and not isinstance(found, bool):
                return found
            if text := text_or_none(found):
                return text
    return None


def _first(names: tuple[str, ...], *holders: dict[str, Any]) -> str | None:
    return next((text for one in holders for name in names if (text := text_or_none(one.get(name)))), None)
