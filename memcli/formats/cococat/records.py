"""A CocoCat row as a message: a V1 task (prompt and answer), a user's row, a summary, a group message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.reading import arguments_text, call_of, parts, plain_text, text_or_none, value_text
from memcli.model import Header, Record


def score(values: Sequence[Any]) -> int:
    """How surely these values are CocoCat's: the best row counts, for users' rows look like anybody's."""
    if is_foreign(values):
        return 0
    return max((_score(value) for value in values), default=0)


def header(value: Any) -> Header | None:
    """None: no CocoCat file has a header row."""
    return None


def is_preamble(value: Any) -> bool:
    """False: the first row of a CocoCat file is a record like the others."""
    return False


def record(value: Any) -> Record:
    """The message that a row of any CocoCat file is.

    A V1 task gives the role "task" and both its texts, the prompt first, then the answer on a line of its own
    behind its field's name. A compaction summary has its stored type as role. A group message has no role, or
    "recalled" when it was taken back; its sender is the name.
    """
    if not isinstance(value, dict):
        return Record(content=value_text(value))
    stamp = next((value[name] for name in ("timestamp", "ts", "created_at") if value.get(name) is not None), None)
    own = value.get("id")
    own = own if isinstance(own, str | int) and not isinstance(own, bool) else None
    return _body(value)._replace(timestamp=text_or_none(stamp), id=own)


def is_task(value: Any) -> bool:
    """Whether a row is one of an agent's own V1 journal."""
    return isinstance(value, dict) and ("prompt" in value or "response_summary" in value) and "role" not in value


def is_summary(value: Any) -> bool:
    """Whether a row is what V1's compaction put in the place of the rows it threw away."""
    return isinstance(value, dict) and value.get("type") == "compacted_summary"


def is_group_message(value: Any) -> bool:
    """Whether a row is one of a group chat."""
    return isinstance(value, dict) and "content" in value and "from" in value


def is_session_row(value: Any) -> bool:
    """Whether a row is a V2 session's: role and content, and nothing that only other agents write."""
    known = {"role", "content", "name", "tool_calls", "tool_call_id"}
    return (
        isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value and not set(value) - known
    )


def is_foreign(values: Sequence[Any]) -> bool:
    """Whether one of these is certainly another agent's: a typed header, or an entry with a cursor."""
    return any(
        isinstance(value, dict) and ("_type" in value or "cursor" in value or value.get("type") == "session")
        for value in values
    )


def _score(value: Any) -> int:
    if not isinstance(value, dict):
        return 0
    if is_task(value):
        marks = {"prompt", "response_summary", "iterations"} & set(value)
        return {3: 98, 2: 90}.get(len(marks), 15)
    if is_summary(value):
        return 95 if "original_count" in value else 60
    if is_group_message(value):
        return 85 if "read_by" in value else 15
    return 5 if is_session_row(value) or set(value) == {"role", "content", "timestamp"} else 0


def _task_text(value: dict[str, Any]) -> str:
    # nothing but stored words: grep searches the bytes of the line, and an arrow would not be in them
    prompt, answer = plain_text(value.get("prompt")), plain_text(value.get("response_summary"))
    return "\n".join(part for part in (prompt, answer and f"response_summary: {answer}") if part)


def _body(value: dict[str, Any]) -> Record:
    if is_task(value):
        return Record("task", _task_text(value))
    if is_summary(value):
        return Record(value["type"], plain_text(value.get("summary")))
    role = text_or_none(value.get("role")) or ""
    if is_group_message(value):
        role = role or ("recalled" if value.get("recalled") is True else "")
        return Record(role, plain_text(value["content"]), name=text_or_none(value["from"]))
    if not role and "content" not in value:
        return Record(content=arguments_text(value))
    found = parts(value.get("content"))
    calls = value.get("tool_calls")
    return Record(
        role,
        found.content,
        reasoning=found.reasoning,
        calls=(*found.calls, *(map(call_of, calls) if isinstance(calls, list) else ())),
        answers=text_or_none(value.get("tool_call_id")) or found.answers,
        name=text_or_none(value.get("name")),
    )
