"""One line of bytes to JSON values, as leniently as nothing has to be invented.

Nearly all lines are clean and read at once; what a strict reader refuses is looked at again: lone surrogates
(JavaScript cuts emoji in half), bytes that are not UTF-8, a byte order mark, runs of NUL, two records.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import modules
from typing import Any

from memcli.model import Decoded

LONG = 1 << 20
MANY = 10_000
"""More values than this on one line are not taken apart: 64 MiB of `{}` would need gigabytes."""


def decode(raw: bytes) -> Decoded:
    """The JSON values on a line. Never raises; an unreadable line gives no values and the flaw for why."""
    if len(raw) > LONG:
        from memcli.storage.strictness import crowded

        if crowded(raw):  # reading it would take a hundred times its size
            return Decoded((), "oversize-line")
    try:
        return Decoded((loads(raw),))
    except (ValueError, RecursionError):
        return _second_look(raw)


def loads(raw: bytes) -> Any:
    """The one JSON value of a clean line. Raises ValueError or RecursionError for any other."""
    global _calls
    if _fast is not None:
        return _fast(raw)
    if _calls > FEW or "orjson" in modules:
        expect_many()
        return loads(raw)
    _calls += 1
    return _by_stdlib(raw)


def expect_many() -> None:
    """Read with orjson from now on: what reads many thousands of lines says so before."""
    global _fast
    import orjson

    _fast = orjson.loads


FEW = 3000
"""So many lines are read with the standard library's scanner: orjson reads them twice as fast, and imports
ten milliseconds of modules that memcli does not need."""
_calls = 0
_fast: Callable[[bytes], Any] | None = None
_scan: Callable[[str, int], tuple[Any, int]] | None = None


def loads_many(raw: bytes) -> list[Any]:
    """The JSON values on the lines of `raw`, which ends in a newline. Raises as `loads` does.

    The caller has seen that every line begins and ends with a brace, and compares the number of values with that of
    lines: orjson is asked once, with commas for the newlines.
    """
    if _fast is not None:
        values: list[Any] = _fast(b"[" + raw[:-1].replace(b"\n", b",") + b"]")
        return values
    return [loads(line) for line in raw[:-1].split(b"\n")]


def _by_stdlib(raw: bytes) -> Any:
    global _scan
    if _scan is None:
        from json.decoder import JSONDecoder

        _scan = vars(JSONDecoder(parse_constant=_refuse, parse_float=_finite))["scan_once"]
    if raw[:1] != b"{" or ((b"\\ud" in raw or b"\\uD" in raw) and _half_pair(raw)):
        from orjson import loads as fast

        return fast(raw)
    text = raw.decode()
    try:
        value, end = _scan(text, 0)
    except StopIteration as stop:
        raise ValueError(f"no value at {stop.value}") from stop
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise ValueError(f"more behind the value at {end}")
    return value


def _half_pair(raw: bytes) -> bool:
    """Whether a surrogate may stand alone in the line: the scanner would take it; orjson tells for sure."""
    from re import sub

    rest = sub(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", b"", raw)
    return b"\\ud" in rest or b"\\uD" in rest


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _finite(word: str) -> float:
    number = float(word)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{word} is not a number that can be kept")
    return number


def _second_look(raw: bytes) -> Decoded:
    flaw = ""
    if raw.startswith(b"\xef\xbb\xbf"):
        raw, flaw = raw[3:], "bom"
    if b"\0" in raw:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or raw.lstrip(b"\0").startswith(b'{\0"'):
            return Decoded((), "utf16")  # with the NULs left out, Chinese would read as some other text
        raw, flaw = raw.replace(b"\0", b""), "nul-run"
        if not raw.strip():
            return Decoded((), "nul-run")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text, flaw = raw.decode("utf-8", "replace"), "invalid-utf8"
    values, odd = _values(text)
    if len(values) > 1:
        return Decoded(values, "glued-lines")
    if not values:
        return Decoded((), odd)
    # json reads it, orjson does not, and for no reason known here: its depth, which differs by Python
    return Decoded(values, flaw or odd) if flaw or odd else Decoded((), "too-deep")


def _values(text: str, strict: bool = True) -> tuple[tuple[Any, ...], str]:
    """The values that stand one behind the other in `text`, none if anything else does, and the flaw."""
    import json
    import re

    constants: list[str] = []

    def constant(word: str) -> float:
        constants.append(word)
        return float(word.lower().replace("infinity", "inf"))

    decoder = json.JSONDecoder(parse_constant=constant, strict=strict)
    values: list[Any] = []
    place = _start(text, 0)
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            place = _start(text, place)
            if len(values) > MANY:
                return (), "glued-lines"
    except RecursionError:
        return (), "too-deep"
    except json.JSONDecodeError as error:
        if strict and error.msg.startswith("Invalid control"):
            return _values(text, strict=False)
        return (), _name(text, values, error.pos)
    except ValueError:  # an integer of more digits than Python reads
        return (), "huge-number"
    if not values:
        return (), "not-json"
    if len(values) > 1 and not all(isinstance(value, dict | list) for value in values):
        return (), "junk-around-record" if _has_record(values) else "not-json"
    if not strict:
        return tuple(values), "raw-control"
    if constants or re.search(r"\d[eE]\+?\d{3}", text):
        return tuple(values), "nan"  # 1e999 reads as Infinity
    return tuple(values), "lone-surrogate" if re.search(r"\\u[dD][89a-fA-F]", text) else ""


def _start(text: str, place: int) -> int:
    """Where the next value begins: a line can be 64 MiB of spaces, so not by a loop."""
    import re

    found = re.compile(r"[^ \t\r\n]").search(text, place)
    return found.start() if found else len(text)


def _name(text: str, values: list[Any], place: int) -> str:
    """The code for text that is not wholly JSON: `values` were read, then something was wrong at `place`."""
    body = text.strip()
    if _has_record(values):
        return "junk-around-record"
    if not body.startswith("{"):
        begin = body.find("{")
        whole = begin > 0 and body.endswith("}") and _has_record(list(_values(body[begin:])[0]))
        return "junk-around-record" if whole else "not-json"
    if body.startswith("{'"):
        return "python-repr"
    before, behind = text[:place].rstrip(), text[place:].lstrip(" \t,")
    if behind[:1] in ("}", "]") and (before.endswith(",") or text[place] == ","):
        return "trailing-comma"
    # a record that was cut is wrong at its end; where another one follows, the first is wrong before that
    follows = behind and body.endswith("}") and body.find('{"', 1) > 0
    return "spliced-line" if follows else "torn-line"


def _has_record(values: list[Any]) -> bool:
    return any(isinstance(value, dict) for value in values)
