"""What two agents themselves load, written anew from what is known of their loaders; nothing here is memcli's.

catbuddy (session manager, `_load` and `list`): the whole file as text, lines parted at "\\n", empty ones left out; the first
one is the header, each of the others must parse, or nothing is loaded. CocoCat V1.2 (dream.py, `_read_entries`): text mode,
lines that hold anything must parse and be objects with a prompt that can be sliced, or every reader fails.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Loaded(NamedTuple):
    """How many rows are loaded; whether the chat is in the agent's list, where it has one."""

    seen: int
    listed: bool


def catbuddy(data: bytes) -> Loaded:
    """Node reads UTF-8 with replacement characters, and JSON.parse is strict."""
    text = data.decode("utf-8", "replace")
    lines = [line for line in text.split("\n") if line]
    if not lines:
        return Loaded(0, False)
    try:
        header = _parse(lines[0])
    except ValueError:
        return Loaded(0, False)
    if header is None:  # a member of null is asked for
        return Loaded(0, False)
    listed = len(lines) > 1
    try:
        rows = [_parse(line) for line in lines[1:]]
    except ValueError:
        return Loaded(0, listed)
    while rows and _is_header(header) and _is_header(rows[0]):  # a second header on top is no row
        rows.pop(0)
    return Loaded(len(rows), listed)


def cococat(data: bytes) -> Loaded:
    """Python reads text strictly, and takes CR, LF and CR LF for the ends of lines."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Loaded(0, False)
    seen = 0
    for row in text.split("\n"):
        pieces = [piece for piece in row.split("\r") if piece.strip()]
        for piece in pieces:
            try:
                value = json.loads(piece)
            except ValueError:
                return Loaded(0, True)
            if not isinstance(value, dict):
                return Loaded(0, True)
            if not isinstance(value.get("prompt", ""), str | list):
                return Loaded(0, True)
        seen += bool(pieces)
    return Loaded(seen, True)


def _parse(line: str) -> Any:
    """JSON.parse: no NaN, no Infinity, white space of JSON only."""
    return json.loads(line, parse_constant=_refuse, parse_int=float)


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _is_header(value: Any) -> bool:
    """A row without a role that has the header's key, or two of its other members, is what a header looks like."""
    members = {"title", "preview", "created_at", "updated_at", "last_consolidated", "metadata"}
    if not isinstance(value, dict) or "role" in value:
        return False
    return isinstance(value.get("key"), str) or len(members & value.keys()) > 1
