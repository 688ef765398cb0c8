"""The JSON in an answer: all of it, between prose, in a code fence, or the whole objects of one that was torn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

LONGEST = 200_000
"""Characters of an answer that are read."""
_TRIES = 200


class Listed(NamedTuple):
    """The members of the list that an answer is; `torn`: it was not whole, these are those that were."""

    members: tuple[Any, ...]
    torn: bool = False


def listed(text: str, key: str) -> Listed | None:
    """The list in an answer, whose members are objects with a member `key`; None where there is none. NaN and infinities are
    read as null."""
    text = text[:LONGEST].strip().removeprefix("\ufeff")
    for whole in (text, *(match[1] for match in _FENCED.finditer(text))):
        found = _members(_load(whole), key)
        if found is not None:
            return Listed(found)
    return _within(text, key)


def unfenced(text: str) -> str:
    """An answer without the code fence around all of it."""
    found = _AROUND.fullmatch(text.strip())
    return found[1] if found else text


def _within(text: str, key: str) -> Listed | None:
    """The first list of the kind with prose around it, else whole objects, wherever they stand."""
    decode = _decoder()
    for place, _ in zip(_places(text, "["), range(_TRIES), strict=False):
        value = _decoded(decode, text, place)
        found = _members(value[0], key) if value else None
        if found:
            return Listed(found)
    members: list[Any] = []
    place = tries = 0
    while tries < _TRIES:
        place = text.find("{", place)
        if place < 0:
            break
        value = _decoded(decode, text, place)
        if value and isinstance(value[0], dict) and key in value[0]:
            members.append(value[0])
            place = value[1]
        else:
            tries += 1
            place += 1
    if members:
        return Listed(tuple(members), torn=True)
    return Listed(()) if "{" not in text and _EMPTY.search(text) else None


def _members(value: Any, key: str) -> tuple[Any, ...] | None:
    """The members of what is a list of objects, or an object with such a list or that is one itself."""
    if isinstance(value, dict):
        if key in value:
            return (value,)
        lists = [one for one in value.values() if isinstance(one, list)]
        return _members(lists[0], key) if len(lists) == 1 else None
    if not isinstance(value, list):
        return None
    if value and not any(isinstance(one, dict) and key in one for one in value):
        return None
    return tuple(value)


def _load(text: str) -> Any:
    import json

    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):  # also a number of too many digits
        return None


def _decoder() -> Any:
    import json

    return json.JSONDecoder(parse_constant=lambda _: None).raw_decode


def _decoded(decode: Any, text: str, place: int) -> tuple[Any, int] | None:
    try:
        value, end = decode(text, place)
    except (ValueError, RecursionError):
        return None
    return value, end


def _places(text: str, mark: str) -> Iterator[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)


_EMPTY = re.compile(r"(?:^|[\s:：])\[\](?:[\s.。]|$)")
_FENCED = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)```", re.DOTALL)
_AROUND = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)\n?```", re.DOTALL)
