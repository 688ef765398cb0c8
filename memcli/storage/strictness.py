"""What a fast parser takes without a word though some readers do not: repeated members, great depth, far too many values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

CROWDED = 1 << 20
"""Shorter lines may hold what they like."""
LEVELS = 512
"""Deeper records than this are beyond some reader or other (.NET stops at 64, PHP at 512, Python near 1,000)."""
VALUES = 1 << 19
"""More values than this on one line are not made: each takes 50 bytes and more."""


def repeated(body: bytes, records: Sequence[Any]) -> bool:
    """Whether an object among these records, which `body` holds, names a member twice.

    Told by counting: a quote and a colon stand together at every member's name, and inside a string only behind a
    backslash.
    """
    from stringzilla import count

    written = int(count(body, b'":')) - int(count(body, b'\\":'))
    read = sum(map(len, records))
    if written == read or written == read + _members_below(records, _nesting):
        return False
    _learn(records)
    read += _members_below(records, _nesting)
    if written == read:
        return False
    written += int(count(body, b'" :')) - int(count(body, b'\\" :'))
    return written != read and _really(body)


def deep(body: bytes, between: int) -> bool:
    """Whether one of the lines in `body`, which has `between` newlines, may be nested over LEVELS levels."""
    from stringzilla import count

    if int(count(body, b"{")) + int(count(body, b"[")) - between <= LEVELS:
        return False
    return any(
        _depth(line) > LEVELS
        for line in body.split(b"\n")
        if len(line) > 2 * LEVELS and line.count(b"{") + line.count(b"[") > LEVELS
    )


def crowded(raw: bytes) -> bool:
    """Whether a long line holds more values than are safe to make. (Brackets alone are no danger: parsers stop at a depth.)"""
    if len(raw) <= CROWDED:
        return False
    from stringzilla import count

    if int(count(raw, b",")) + int(count(raw, b":")) <= VALUES:
        return False
    bare = _without_strings(raw)
    return bare.count(b",") + bare.count(b":") > VALUES


def _members_below(records: Sequence[Any], names: Iterable[str]) -> int:
    """How many members the objects below these names of the records have."""
    members = 0
    waiting = [record[name] for name in names for record in records if name in record]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            members += len(value)
            waiting += [inner for inner in value.values() if type(inner) is dict or type(inner) is list]
        elif type(value) is list:
            waiting += [inner for inner in value if type(inner) is dict or type(inner) is list]
    return members


_nesting: set[str] = set()
"""Names below which objects were seen: the same few in most records of a file. It only saves time."""
NESTING = 64


def _learn(records: Sequence[Any]) -> None:
    if len(_nesting) > NESTING:
        _nesting.clear()
    _nesting.update({name for record in records for name, value in record.items() if type(value) in (dict, list)})


def _really(body: bytes) -> bool:
    """The slow way, for bodies whose colons stand apart from the names."""
    import json

    class Twice(Exception):
        pass

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Twice
        return found

    decoder = json.JSONDecoder(object_pairs_hook=once)
    try:
        for line in body.decode("utf-8", "replace").split("\n"):
            decoder.decode(line)
    except Twice:
        return True
    except (ValueError, RecursionError):  # not for this judge to name
        return False
    return False


def _depth(line: bytes) -> int:
    depth = deepest = 0
    for byte in _without_strings(line):
        if byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    return deepest


def _without_strings(raw: bytes) -> bytes:
    from re import DOTALL, sub

    return sub(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|$)', b"", raw, flags=DOTALL)
