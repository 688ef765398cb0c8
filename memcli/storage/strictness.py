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
    """Whether an object among these records, one a line of `body`, names a member twice.

    Told by counting: a quote and a colon stand together at every member's name, and inside a string only behind a
    backslash. Lines where that may not hold are read with care, the others must add up.
    """
    written = _names(body)
    read = sum(map(len, records))
    below = 0
    if written != read:
        below = _members_below(records, _nesting)
        if written != read + below:
            _learn(records)
            below = _members_below(records, _nesting)
    read += below
    unsure = _unsure(body)
    if unsure is None:
        return any(map(_really, body.split(b"\n")))
    for number, start, end in unsure:
        line, record = body[start:end], records[number]
        if _really(line):
            return True
        written -= _names(line)
        read -= len(record) + _members_below((record,), _nesting)
    return written != read


def _names(body: bytes) -> int:
    """How many members are named, if no blank stands between a name and its colon."""
    from stringzilla import count

    return int(count(body, b'":')) - int(count(body, b'\\":'))


def _unsure(body: bytes) -> list[tuple[int, int, int]] | None:
    """The lines, as (index, start, end), in which counting tells nothing: a blank may stand between a name and its colon, or
    a name end in a backslash. None: any line may be one."""
    from stringzilla import count

    if int(count(body, b"\t")):  # inside a string it would be an escape
        return None
    returns = int(count(body, b"\r"))
    if returns and returns != int(count(body, b"\r\n")) + body.endswith(b"\r"):
        return None
    places: list[int] = []
    if int(count(body, b'\\\\":')):
        places += _found(body, b'\\\\":')
    spaced = int(count(body, b'" :'))
    if spaced and spaced != int(count(body, b'\\" :')):
        places += [place for place in _found(body, b'" :') if body[place - 1 : place] != b"\\"]
    if int(count(body, b"  :")):
        places += [place for place in _found(body, b"  :") if _behind_a_string(body, place)]
    lines: dict[int, tuple[int, int, int]] = {}
    number = counted = 0
    for place in sorted(places):
        number += body.count(b"\n", counted, place)
        counted = place
        if number not in lines:
            end = body.find(b"\n", place)
            lines[number] = (number, body.rfind(b"\n", 0, place) + 1, len(body) if end < 0 else end)
    return list(lines.values())


def _found(body: bytes, pattern: bytes) -> list[int]:
    from stringzilla import find

    places = []
    place = int(find(body, pattern))
    while place >= 0:
        places.append(place)
        place = int(find(body, pattern, place + len(pattern)))
    return places


def _behind_a_string(body: bytes, place: int) -> bool:
    """Whether the blanks at `place` stand behind a quote that ends a string."""
    while place and body[place - 1] == BLANK:
        place -= 1
    return body[place - 1 : place] == b'"' and body[place - 2 : place - 1] != b"\\"


BLANK = 0x20


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
