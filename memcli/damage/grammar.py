"""JSON text that may break off or go wrong: how far it is JSON, and what would have to follow.

All functions take text decoded as Latin-1, in which every character is one byte of the line: JSON's own characters are
ASCII, so that positions are bytes and nothing depends on whether a cut went through a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

TOKENS = 1_000_000
"""A text of more tokens is not walked to its end."""


class Walk(NamedTuple):
    """How far a text is JSON.

    `at` is where it stops to be JSON, its length when it does not. `sound` tells that all of it is the beginning of some
    JSON value, `whole` that it is a value. `in_string` tells that it breaks off inside a string, `closers` what would
    close the brackets open at the end, `closed` that the last thing read is a whole value with an end of its own (a
    number could have gone on). `members` are the whole members of the outermost object with short plain values.
    """

    at: int
    sound: bool
    whole: bool
    in_string: bool
    closers: str
    closed: bool
    members: dict[str, Any]


def walk(text: str, start: int = 0, raw: bool = False) -> Walk:
    """Walk over one JSON value that begins at `start`. `raw` allows control characters inside strings."""
    token = _LENIENT if raw else _STRICT
    closers: list[str] = []
    members: dict[str, Any] = {}
    wants = "value"
    closed = False
    name: str | None = None
    place = start
    for _ in range(TOKENS):
        found = token.match(text, place)
        if found is None:
            break
        kind = found.lastgroup
        word = found[kind] if kind else ""
        here = found.start(kind) if kind else place
        if kind in ("string", "number", "word"):
            if wants in ("key", "key or end"):
                if kind != "string":
                    return _stop(here, closers, members)
                name, wants, closed = word, "colon", False
            elif wants in ("value", "value or end"):
                if len(closers) == 1 and name is not None and len(word) <= SHORT:
                    members[_plain(name)] = word
                wants, closed = "comma", kind == "string"
            else:
                return _stop(here, closers, members)
        elif word in "{[":
            if wants not in ("value", "value or end"):
                return _stop(here, closers, members)
            closers.append("}" if word == "{" else "]")
            wants, closed = ("key or end" if word == "{" else "value or end"), False
        elif word in "}]":
            if not closers or closers[-1] != word or wants not in ("comma", "key or end", "value or end"):
                return _stop(here, closers, members)
            closers.pop()
            wants, closed = "comma", True
        elif word == ":":
            if wants != "colon":
                return _stop(here, closers, members)
            wants, closed = "value", False
        else:
            if wants != "comma" or not closers:
                return _stop(here, closers, members)
            wants, closed = ("key" if closers[-1] == "}" else "value"), False
        place = found.end()
        if not closers and wants == "comma":
            break
    if not closers and wants == "comma":
        rest = _AFTER.match(text, place)
        end = rest.end() if rest else place
        return Walk(end, end == len(text), end == len(text), False, "", closed, members)
    rest = _AFTER.match(text, place)
    end = rest.end() if rest else place
    if end == len(text):
        return Walk(end, True, False, False, "".join(reversed(closers)), closed and wants == "comma", members)
    string = (_LENIENT_CUT if raw else _STRICT_CUT).fullmatch(text, end)
    if string and wants not in ("colon", "comma"):
        return Walk(len(text), True, False, True, "".join(reversed(closers)), False, members)
    if _WORD_CUT.fullmatch(text, end) and wants in ("value", "value or end"):
        return Walk(len(text), True, False, False, "".join(reversed(closers)), False, members)
    return _stop(end, closers, members)


def escaped(text: str) -> Iterator[tuple[int, int, bytes]]:
    """The control characters inside the strings of a text, each as (start, end, the escape that should stand there)."""
    for string in _LENIENT_STRING.finditer(text):
        for match in _CONTROL.finditer(text, string.start(), string.end()):
            yield match.start(), match.end(), _escape(match).encode()


def with_escapes(text: str) -> str:
    """The text with an escape in the place of every control character inside a string."""
    return _LENIENT_STRING.sub(lambda string: _CONTROL.sub(_escape, string[0]), text)


def spare_commas(text: str) -> list[int]:
    """Where commas stand before a closing bracket, outside strings."""
    return [match.start("comma") for match in _SPARE.finditer(text) if match["comma"]]


SHORT = 200
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
# possessive: a string of millions of escapes must not leave millions of places to come back to
_STRICT_BODY = rf'[^"\\\x00-\x1f]*+(?:{_ESCAPE}[^"\\\x00-\x1f]*+)*+'
_LENIENT_BODY = rf'[^"\\]*+(?:{_ESCAPE}[^"\\]*+)*+'
_REST = r"""|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+-]))
|(?P<word>true|false|null|NaN|-?Infinity)(?![A-Za-z])|(?P<mark>[{}\[\],:]))"""
_STRICT = re.compile(rf'[ \t\r\n]*+(?:(?P<string>"{_STRICT_BODY}"){_REST}'.replace("\n|", "|"))
_LENIENT = re.compile(rf'[ \t\r\n]*+(?:(?P<string>"{_LENIENT_BODY}"){_REST}'.replace("\n|", "|"))
_CUT = r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
_STRICT_CUT = re.compile(rf'"{_STRICT_BODY}{_CUT}')
_LENIENT_CUT = re.compile(rf'"{_LENIENT_BODY}{_CUT}')
_WORD_CUT = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|-|-?(?:0|[1-9][0-9]*)(?:\.|\.[0-9]+[eE][+-]?|[eE][+-]?)?")
_AFTER = re.compile(r"[ \t\r\n]*")
_LENIENT_STRING = re.compile(rf'"{_LENIENT_BODY}"')
_CONTROL = re.compile(r"[\x00-\x1f]")
_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
_SPARE = re.compile(rf'"{_STRICT_BODY}"|(?P<comma>,)(?=[ \t\r\n]*+[}}\]])')


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _stop(at: int, closers: list[str], members: dict[str, Any]) -> Walk:
    return Walk(at, False, False, False, "".join(reversed(closers)), False, members)


def _plain(name: str) -> str:
    return name[1:-1]
