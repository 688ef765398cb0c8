"""Single members of a line that holds one JSON object: found, and changed with every other byte of the line left as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json import JSONDecoder
from typing import Any


def member_place(line: bytes, name: str) -> tuple[int, int] | None:
    """Where the value of a member with an ASCII name stands in a line with one object, in bytes; None when it has none."""
    text = line.decode("latin-1")  # one character a byte
    decoder = JSONDecoder(strict=False)
    place = text.find("{") + 1
    try:
        while place:
            member, place = decoder.raw_decode(text, _skip(text, place, " \t\r\n,"))
            start = _skip(text, place, " \t\r\n:")
            _, place = decoder.raw_decode(text, start)
            if member == name:
                return start, place
    except (ValueError, RecursionError):
        pass
    return None


def put(line: bytes, names: Sequence[str], value: Any) -> bytes | None:
    """The line with `value` as the member that `names` lead to, one object in the other; objects that are missing, or null, on
    the way to it are made, at the end of what they belong to. Written with blanks where the line has some. None where something
    else than an object stands on the way."""
    spaced = re.search(rb'"\s*:\s', line[:200]) is not None
    start, end = 0, len(line)
    for depth, name in enumerate(names):
        found = member_place(line[start:end], name)
        if found is None:
            return _added(line, start, end, name, _nested(names[depth + 1 :], value), spaced)
        start, end = start + found[0], start + found[1]
        inside = line[start:end]
        if depth + 1 < len(names) and not inside.startswith(b"{"):
            if inside != b"null":
                return None
            return line[:start] + _dumped(_nested(names[depth + 1 :], value), spaced) + line[end:]
    return line[:start] + _dumped(value, spaced) + line[end:]


def _added(line: bytes, start: int, end: int, name: str, value: Any, spaced: bool) -> bytes:
    """The line with a member more at the end of the object between these bytes."""
    close = line.rfind(b"}", start, end)
    alone = not line[line.find(b"{", start) + 1 : close].strip()
    comma = b"" if alone else b", " if spaced else b","
    member = json.dumps(name).encode() + (b": " if spaced else b":") + _dumped(value, spaced)
    return line[:close] + comma + member + line[close:]


def _nested(names: Sequence[str], value: Any) -> Any:
    for name in reversed(names):
        value = {name: value}
    return value


def _dumped(value: Any, spaced: bool) -> bytes:
    """JSON as the agents write it; half a surrogate pair, which is no UTF-8, becomes a question mark."""
    separators = (", ", ": ") if spaced else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators).encode("utf-8", "replace")


def _skip(text: str, place: int, over: str) -> int:
    found = re.compile(f"[{over}]*").match(text, place)
    return found.end() if found else place
