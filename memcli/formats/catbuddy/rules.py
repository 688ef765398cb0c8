"""What catbuddy expects of rows and headers (session manager `_load`, `_save`; memory store), for whole batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli.formats.catbuddy.records import header
from memcli.storage.facts import Call, Columns, HeaderFacts, HeaderRules, RowRules

CURSORS = "numbers"
ENDS_AT_CR = False


def header_rules(era: str) -> HeaderRules:
    """catbuddy writes seven members, compact, and knows no others."""
    return HeaderRules(needed=("key", "updated_at"), build=build_header, owned=True, newest=("preview",))


def build_header(facts: HeaderFacts) -> bytes:
    """A header as `_save` writes it. The preview is the first 120 UTF-16 units of the last user row; nothing is taken to be
    consolidated, which catbuddy never reads."""
    import json

    units = facts.preview.encode("utf-16-le", "surrogatepass")[: 2 * 120]
    value = {
        "key": facts.key,
        "title": "",
        "preview": units.decode("utf-16-le", "ignore"),
        "created_at": facts.created,
        "updated_at": facts.updated,
        "last_consolidated": 0,
        "metadata": {},
        **{name: member for name, member in facts.members.items() if name in _MEMBERS},
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def columns(values: Sequence[Any]) -> Columns:
    """The columns of session rows; camelCase members only, as catbuddy reads them."""
    roles = [value.get("role") for value in values]
    texts = [value.get("content") for value in values]
    odd: list[int] = []
    if not set(map(type, roles)) == {str} == set(map(type, texts)):
        odd = [index for index, value in enumerate(values) if _fault(value) and "key" not in value]
    return Columns(
        ids=[value.get("id") for value in values],
        times=[value.get("timestamp") for value in values],
        roles=roles,
        owners=[value.get("sessionKey") for value in values],
        calls=[
            call
            for index, value in enumerate(values)
            if "toolCalls" in value or "toolCallId" in value
            for call in _calls(index, value)
        ],
        odd=odd,
        headers=headers(values) if None in roles else (),
    )


def journal_columns(values: Sequence[Any]) -> Columns:
    """The columns of journal entries: the cursor is the id."""
    return Columns(
        ids=[value.get("cursor") for value in values],
        times=[value.get("at") for value in values],
        roles=["journal"] * len(values),
        odd=[index for index, value in enumerate(values) if _journal_fault(value)],
    )


def headers(values: Sequence[Any]) -> Sequence[int]:
    """Which of the values are headers."""
    return [index for index, value in enumerate(values) if "role" not in value and header(value)]


def cursor(text: str) -> int | None:
    """The number that `parseInt` finds at the beginning of a cursor file, None for none (catbuddy then takes 0)."""
    from re import ASCII, match

    found = match(r"\s*([+-]?\d{1,18})", text, ASCII)
    return int(found[1]) if found else None


def used(number: int | None, present: bool, processed: bool) -> int | None:
    """Garbage counts as 0, as does a missing counter; a missing position means the newer Dream, which has none on disk."""
    return None if processed and not present else number or 0


def upcoming(allocated: int | None, last: int | None, largest: int | None) -> int | None:
    """One more than the counter; the journal itself is never asked."""
    return (allocated or 0) + 1


def stamp(seconds: float) -> str:
    """A time as `toISOString` writes it."""
    from memcli.times import iso

    return iso(seconds)


def counted_beside(path: str) -> tuple[str, str] | None:
    """No such file."""
    return None


def _calls(index: int, value: dict[str, Any]) -> list[Call]:
    found: list[Call] = []
    calls = value.get("toolCalls")
    # a row that came back from the gateway holds the call and its result in one
    if isinstance(calls, list) and value.get("role") != "tool":
        for call in calls:
            name = call.get("id") if isinstance(call, dict) else None
            if isinstance(name, str):
                found.append((index, False, name))
    answer = value.get("toolCallId")
    if isinstance(answer, str) and not isinstance(calls, list):
        found.append((index, True, answer))
    return found


def _fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "is no object"
    if not isinstance(value.get("role"), str):
        return "has no role"
    if not isinstance(value.get("content"), str):
        return "has content that is not text"
    calls = value.get("toolCalls")
    return "" if calls is None or isinstance(calls, list) else "has tool calls that are no list"


def _journal_fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "is no object"
    cursor = value.get("cursor")
    if isinstance(cursor, bool) or not isinstance(cursor, int | float):
        return "has no cursor that is a number"
    return "" if value.get("content") else "has no content"


def _asked(value: Any) -> list[str]:
    return [name for _, answer, name in _calls(0, value) if not answer] if isinstance(value, dict) else []


def _answer(value: Any, call: str, number: int | None) -> bytes:
    """A tool row that says the call never came back, as catbuddy would write one."""
    import json

    calls = value.get("toolCalls") or []
    name = next((one.get("name") for one in calls if isinstance(one, dict) and one.get("id") == call), "")
    row = {
        "id": number,
        "sessionKey": value.get("sessionKey"),
        "role": "tool",
        "content": LOST_ANSWER,
        "toolCallId": call,
        "name": name if isinstance(name, str) else "",
        "timestamp": value.get("timestamp"),
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _mirrored(header: Mapping[str, Any], values: Iterable[Any]) -> str:
    """The marks of a copy that came back from the gateway (gateway client `importWebuiThread`): ids from 1, no metadata, a
    header made later than its first row, tool rows that hold the call, no assistant row that does."""
    created = header.get("created_at")
    if header.get("metadata") or not isinstance(created, str):
        return ""
    held = False
    for number, row in enumerate(values, 1):
        # catbuddy's own files leave here at their first row
        if not isinstance(row, dict) or "media" in row or row.get("id") != number:
            return ""
        stamp = row.get("timestamp")
        if number == 1 and not (isinstance(stamp, str) and created > stamp):
            return ""
        if row.get("role") == "assistant" and row.get("toolCalls"):
            return ""
        held = held or (row.get("role") == "tool" and bool(row.get("toolCalls") or row.get("name") == "trace"))
    return "its header is younger than its first row and its tool rows hold the calls" if held else ""


LOST_ANSWER = "[memcli] Error: the result of this call was lost."
_MEMBERS = ("key", "title", "preview", "created_at", "updated_at", "last_consolidated", "metadata")
ROWS = RowRules(
    roles=frozenset({"user", "assistant", "tool", "system"}),
    numbered=True,
    cap=2000,
    offsets=("last_consolidated",),
    pairs=True,
    fault=_fault,
    calls=_asked,
    answer=_answer,
    mirrored=_mirrored,
    timed=True,
)
JOURNAL = RowRules(numbered=True, fault=_journal_fault)
