"""How far a session was read, told by what its rows say: agents write files anew, and cut off the oldest rows."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

KEPT = 16
"""So many of the last rows that were read are remembered."""


def digest(value: Any, raw: bytes) -> str:
    """What a row is known by: its members and their values, in whatever order and spelling; the bytes of what is no JSON."""
    import orjson

    try:
        raw = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):  # half a surrogate pair, a number of many digits
        pass
    return sha256(raw).hexdigest()[:16]


def locate(tail: Sequence[str], row: int, digests: Sequence[str]) -> int:
    """How many of the rows with these digests, from the first, had been read when the last of them were `tail`, the newest with
    the number `row`; 0 where none of those remembered is there any more. Of several places the one with the most of them
    before it counts."""
    places: dict[str, list[int]] = {}
    wanted = set(tail)
    for index, one in enumerate(digests):
        if one in wanted:
            places.setdefault(one, []).append(index)
    for last in range(len(tail) - 1, -1, -1):
        found = places.get(tail[last])
        if found:
            best = max(found, key=lambda index: (_run(tail, last, digests, index), -abs(index + 1 - row)))
            return best + 1
    return 0


def _run(tail: Sequence[str], last: int, digests: Sequence[str], index: int) -> int:
    """How many rows, up to this one, are as remembered."""
    length = 0
    while length <= min(last, index) and tail[last - length] == digests[index - length]:
        length += 1
    return length
