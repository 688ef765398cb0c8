"""One line of bytes to JSON values, as leniently as nothing has to be invented.

orjson first, since nearly all lines are clean; what it refuses is looked at again: lone surrogates (JavaScript cuts
emoji in half), bytes that are not UTF-8, a byte order mark, runs of NUL, two records on one line.
"""

from __future__ import annotations

from typing import Any

from memcli.model import Decoded


def decode(raw: bytes) -> Decoded:
    """The JSON values on one line. Never raises; an unreadable line gives no values and the flaw that says why."""
    import orjson

    try:
        return Decoded((orjson.loads(raw),))
    except (ValueError, RecursionError):
        return _second_look(raw)


def _second_look(raw: bytes) -> Decoded:
    flaw = ""
    if raw.startswith(b"\xef\xbb\xbf"):
        raw, flaw = raw[3:], "bom"
    if b"\0" in raw:
        raw, flaw = raw.replace(b"\0", b""), "nul-run"
        if not raw.strip():
            return Decoded((), "nul-run")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text, flaw = raw.decode("utf-8", "replace"), "invalid-utf8"
    values, rest, odd = _values(text)
    if rest or not values:
        return Decoded((), odd or _name(text, values))
    if len(values) > 1:
        flaw = "glued-lines"
    return Decoded(tuple(values), flaw or odd)


def _values(text: str) -> tuple[list[Any], str, str]:
    """The values that stand one behind the other in `text`, what could not be read behind them, and a flaw."""
    import json

    # strict: a raw newline or tab inside a string is damage (raw-control), and hiding it here would hide it from verify
    constants: list[str] = []

    def constant(word: str) -> float:
        constants.append(word)
        return float(word.lower().replace("infinity", "inf"))

    decoder = json.JSONDecoder(parse_constant=constant)
    values: list[Any] = []
    position = _skip_blank(text, 0)
    try:
        while position < len(text):
            value, position = decoder.raw_decode(text, position)
            values.append(value)
            position = _skip_blank(text, position)
    except RecursionError:
        return [], text, "too-deep"
    except ValueError as error:
        if "digits" in str(error):
            return [], text, "huge-number"
        return values, text[position:], ""
    return values, "", "nan" if constants else "lone-surrogate" if values else ""


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _name(text: str, values: list[Any]) -> str:
    """The code for text that is not wholly JSON."""
    body = text.strip()
    if not body:
        return "not-json"
    if values:
        return "junk-around-record"
    if not body.startswith("{"):
        return "not-json"
    return "spliced-line" if body.endswith("}") and body.find('{"', 1) > 0 else "torn-line"
