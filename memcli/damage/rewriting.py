"""Records in another notation, written again as JSON: the only mends that do not keep a record's bytes."""

from __future__ import annotations

from typing import Any

LONGEST = 1 << 20
"""Python's own parser takes a hundred times a text's size in memory."""


def python_repr(raw: bytes, spaced: bool) -> bytes | None:
    """The JSON of an object in Python's notation; None when it is none, or holds what JSON cannot say exactly.

    `spaced` writes `": "` and `", "` as the other lines of the file do.
    """
    import json
    from ast import literal_eval

    if len(raw) > LONGEST:
        return None
    try:
        value = literal_eval(raw.decode("utf-8").strip())
        if not isinstance(value, dict) or not _is_plain(value):
            return None
        separators = (", ", ": ") if spaced else (",", ":")
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=separators).encode()
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _is_plain(value: Any) -> bool:
    """Whether a value is made of what JSON has, with text for names."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if not all(isinstance(name, str) for name in item):
                return False
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif not (item is None or isinstance(item, str | bool | int | float)):
            return False
    return True
