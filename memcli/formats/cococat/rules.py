"""What CocoCat expects of its rows (dream.py, chat_reader.py, core/session.py), for whole batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.cococat.records import is_group_message, is_summary, is_task
from memcli.formats.reading import pairs
from memcli.storage.facts import Columns, HeaderRules, RowRules

CURSORS = "records"
ENDS_AT_CR = True


def header_rules(era: str) -> HeaderRules | None:
    """No CocoCat file has a header."""
    return None


def columns(values: Sequence[Any]) -> Columns:
    """The columns of a journal, a group chat or a session."""
    return Columns(
        ids=[value.get("id") for value in values],
        times=[value.get("timestamp") or value.get("ts") or value.get("created_at") for value in values],
        roles=[_role(value) for value in values],
        calls=pairs(values),
        odd=[index for index, value in enumerate(values) if _fault(value)],
    )


journal_columns = columns


def headers(values: Sequence[Any]) -> Sequence[int]:
    """None of them."""
    return ()


def cursor(text: str) -> int | None:
    """What `int()` makes of a cursor file, None where it fails (CocoCat then takes 0)."""
    try:
        return int(text.strip()) if len(text) < 4000 else None
    except ValueError:
        return None


def used(number: int | None, present: bool, processed: bool) -> int | None:
    """A missing or unreadable cursor counts as 0."""
    return (number or 0) if processed else None


def upcoming(allocated: int | None, last: int | None, largest: int | None) -> int | None:
    """No number is ever given to a record."""
    return None


def stamp(seconds: float) -> str:
    """A time as `datetime.now().isoformat()` writes it: local, without a zone."""
    from datetime import datetime

    return datetime.fromtimestamp(seconds).isoformat()


def counted_beside(path: str) -> tuple[str, str] | None:
    """No such file: the cursor of a journal is known as its cursor."""
    return None


def _role(value: dict[str, Any]) -> Any:
    if "role" in value:
        return value["role"]
    if is_task(value):
        return "task"
    if is_summary(value):
        return "compacted_summary"
    return "message" if is_group_message(value) else None


def _fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "is no object"
    if is_task(value):
        # sliced as text by every version of Dream
        return next(
            (f"has a {name} that is not text" for name in _SLICED if name in value and not _text(value[name])), ""
        )
    if is_summary(value) or is_group_message(value):
        return ""
    if "content" not in value:
        return "has no content"
    return ""


def _discarded(value: Any) -> int:
    """What a compaction of a user's journal says of itself (auto_compact.py); an earlier summary counts as one."""
    count = value.get("original_count") if is_summary(value) else 0
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0


def _text(value: Any) -> bool:
    return isinstance(value, str | list)


_SLICED = ("prompt", "response_summary")
ROWS = RowRules(pairs=True, fault=_fault, timed=True, discarded=_discarded)
JOURNAL = RowRules(fault=_fault)
