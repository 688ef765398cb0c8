"""What nanobot expects of rows and headers (session/manager.py, agent/memory.py), for whole batches."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from memcli.formats.nanobot.eras import rules_of
from memcli.formats.nanobot.records import HEADER, STATE, is_journal_entry
from memcli.formats.reading import pairs
from memcli.storage.facts import Columns, HeaderFacts, HeaderRules, RowRules

CURSORS = "numbers"
ENDS_AT_CR = True


def of(era: str) -> ModuleType:
    """The rules of one generation: this module, or for those that do not know the private state of newer ones `older_rules`."""
    from importlib import import_module

    return import_module(__name__ if rules_of(era).has_state else f"{__package__}.older_rules")


def header_rules(era: str) -> HeaderRules:
    """The last of several headers wins; only the list needs `updated_at`."""
    offsets = rules_of(era).offsets

    def build(facts: HeaderFacts) -> bytes:
        return _build(facts, offsets)

    return HeaderRules(
        needed=("updated_at",), build=build, last_wins=True, fits=_fits, on_top=True, title=("metadata", "title")
    )


def _fits(name: str, value: Any) -> bool:
    """A time that is no date fails the load, which is then done a second time, without it; 0.2.2 lists any key as it is."""
    from memcli.formats.nanobot.loading import is_date

    return (
        is_date(value) if name in ("created_at", "updated_at") else name != "key" or not value or isinstance(value, str)
    )


def _build(facts: HeaderFacts, offsets: tuple[str, ...]) -> bytes:
    """A header as `save` writes it. Offsets are 0, which the agent itself resets unusable ones to: all is replayed.

    What the agent could not read in what is left of the old one stays out.
    """
    import json

    value = {
        "_type": HEADER,
        "key": facts.key,
        "created_at": facts.created,
        "updated_at": facts.updated,
        "metadata": {},
        **dict.fromkeys(offsets, 0),
        **{
            name: member
            for name, member in facts.members.items()
            if name in (*_MEMBERS, *offsets) and _fits(name, member)
        },
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def columns(values: Sequence[Any]) -> Columns:
    """The columns of session rows, calls in OpenAI's form."""
    roles = [value.get("role") for value in values]
    return Columns(
        ids=[value.get("id") for value in values],
        times=[value.get("timestamp") for value in values],
        roles=roles,
        calls=pairs(values, answering="tool"),
        odd=[
            index
            for index, value in enumerate(values)
            if ("_type" in value or "tool_calls" in value or type(value.get("role")) is not str) and _fault(value)
        ],
        headers=headers(values) if None in roles else (),
    )


def journal_columns(values: Sequence[Any]) -> Columns:
    """The columns of journal entries: the cursor is the id."""
    return Columns(
        ids=[value.get("cursor") for value in values],
        times=[value.get("timestamp") for value in values],
        roles=["journal"] * len(values),
        odd=[index for index, value in enumerate(values) if _journal_fault(value)],
    )


def headers(values: Sequence[Any]) -> Sequence[int]:
    """Which of the values are headers."""
    return [index for index, value in enumerate(values) if value.get("_type") == HEADER]


def cursor(text: str) -> int | None:
    """The whole number in a cursor file, None for anything else (MemoryStore)."""
    text = text.strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) <= 18 else None


def used(number: int | None, present: bool, processed: bool) -> int | None:
    """A missing or unreadable position counts as 0; without a counter the journal itself is asked."""
    return number or 0 if processed else number if number is not None and number >= 0 else None


def upcoming(allocated: int | None, last: int | None, largest: int | None) -> int | None:
    """`last` is the cursor of the last line, None when that has no valid one, `largest` the largest of all."""
    if allocated is not None and allocated >= 0:
        return max(allocated, largest or 0 if last is None else last) + 1
    return (largest or 0 if last is None else last) + 1


def stamp(seconds: float) -> str:
    """A time as `datetime.now().isoformat()` writes it: local, without a zone."""
    from datetime import datetime

    return datetime.fromtimestamp(seconds).isoformat()


def counted_beside(path: str) -> tuple[str, str] | None:
    """The checkpoint of a turn in flight, which is thrown away when its count is not that of the session (0.3.5)."""
    if not path.endswith(".jsonl"):
        return None
    return path.removesuffix(".jsonl") + ".checkpoint.json", "base_message_count"


def _fault(value: Any) -> str:
    """Why every turn fails on a row: it is loaded for a message without one word said."""
    if not isinstance(value, dict):
        return "is no object"
    return "" if value.get("_type") in (HEADER, STATE) else message_fault(value)


def message_fault(value: dict[str, Any]) -> str:
    """Why every turn fails on an object that is loaded for a message, "" when none does."""
    if not isinstance(value.get("role"), str):
        return f"has no role (its _type is {str(value['_type'])[:40]!r})" if "_type" in value else "has no role"
    calls = value.get("tool_calls")
    if calls is None:
        return ""
    if not isinstance(calls, list):
        return "has tool calls that are no list"
    return "" if all(isinstance(call, dict) for call in calls) else "has a tool call that is no object"


def _journal_fault(value: Any) -> str:
    if is_journal_entry(value):
        return ""
    if not isinstance(value, dict):
        return "is no object"
    if type(value.get("cursor")) is not int or value["cursor"] < 0:
        return "has no cursor that is a whole number"
    if not isinstance(value.get("content"), str):
        return "has no content that is text"
    return "" if isinstance(value.get("timestamp"), str) else "has no timestamp that is text"


def _asked(value: Any) -> list[str]:
    return [name for _, answer, name in pairs([value]) if not answer] if isinstance(value, dict) else []


def _answer(value: Any, call: str, number: int | None) -> bytes:
    """A tool row that says the call never came back, in the words that nanobot itself has for it."""
    import json

    calls = value.get("tool_calls") or []
    found = next((one for one in calls if isinstance(one, dict) and one.get("id") == call), {})
    function = found.get("function")
    name = (function if isinstance(function, dict) else found).get("name")
    row = {
        "role": "tool",
        "tool_call_id": call,
        "name": name if isinstance(name, str) else "",
        "content": LOST_ANSWER,
        "timestamp": value.get("timestamp"),
        "_recovery_interrupted": True,
    }
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")


LOST_ANSWER = "Error: Task interrupted before this tool finished."
_MEMBERS = ("key", "created_at", "updated_at", "metadata")
ROWS = RowRules(
    roles=frozenset({"user", "assistant", "tool", "system"}),
    offsets=("last_archived", "last_consolidated"),
    pairs=True,
    fault=_fault,
    calls=_asked,
    answer=_answer,
    timed=True,
    cuts=True,
)
JOURNAL = RowRules(numbered=True, fault=_journal_fault)
