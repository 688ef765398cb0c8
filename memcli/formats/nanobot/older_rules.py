"""The same for generations up to 0.3.0: what 0.3.5 keeps at the top as its provider's private state is a message to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.formats.nanobot import rules
from memcli.formats.nanobot.records import STATE
from memcli.formats.nanobot.rules import (
    CURSORS,
    ENDS_AT_CR,
    JOURNAL,
    counted_beside,
    cursor,
    header_rules,
    headers,
    journal_columns,
    message_fault,
    stamp,
    upcoming,
    used,
)
from memcli.storage.facts import Columns

__all__ = [
    "CURSORS",
    "ENDS_AT_CR",
    "JOURNAL",
    "ROWS",
    "columns",
    "counted_beside",
    "cursor",
    "header_rules",
    "headers",
    "journal_columns",
    "stamp",
    "upcoming",
    "used",
]


def columns(values: Sequence[Any]) -> Columns:
    """The columns of session rows; a state among them has no role."""
    found = rules.columns(values)
    states = [index for index, value in enumerate(values) if value.get("_type") == STATE and _fault(value)]
    return found._replace(odd=sorted({*found.odd, *states})) if states else found


def _fault(value: Any) -> str:
    if isinstance(value, dict) and value.get("_type") == STATE:
        return message_fault(value)
    return rules.ROWS.fault(value)


ROWS = rules.ROWS._replace(fault=_fault)
