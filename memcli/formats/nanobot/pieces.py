"""One physical line as nanobot reads it: Python's text mode and json.loads, which differ from a strict
reader.

A lone CR ends a line, white space of any script is stripped, NaN and half a surrogate pair are accepted,
and a byte that is not UTF-8, an integer over 4300 digits or too deep a nesting is not "a bad line" but an
error of another kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from memcli.model import Decoded, Line


class Piece(NamedTuple):
    """What nanobot makes of a line, or of the part of it between two CRs.

    `end` is the byte behind it. `flaw` is "" for a value, else "blank", "not-json", "not-utf8",
    "huge-number", "too-deep" or "unread" (over the size limit). `at` is the byte where decoding fails, for
    not-utf8 only. `plain`: the value needs no second look. `padded`: there is white space around it that
    only the load strips, the list does not.
    """

    value: Any
    end: int
    flaw: str = ""
    at: int = -1
    plain: bool = False
    padded: bool = False


def pieces(line: Line, decoded: Decoded) -> Iterator[Piece]:
    """The pieces of `line`, in order; at least one."""
    raw = line.raw
    end = line.offset + line.length + line.ended
    if raw is None:
        yield Piece(None, end, "unread")
        return
    if not decoded.flaw and len(decoded.values) == 1 and b"\r" not in raw[:-1]:
        value = decoded.values[0]
        if not isinstance(value, dict) or "_type" not in value:  # a header's numbers are read again, exactly
            yield Piece(value, end, plain=True)
            return
    start = line.offset
    parts = raw.removesuffix(b"\r").split(b"\r")
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        stop = end if last else start + len(part) + 1
        yield _read(part, start, stop, last and not line.ended and not raw.endswith(b"\r"))
        start = stop


def breaks_saving(value: Any) -> bool:
    """Whether a value holds half a surrogate pair, which nanobot loads and can never write again."""
    import json

    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    except RecursionError:
        return False
    return False


def _read(part: bytes, start: int, end: int, unfinished: bool) -> Piece:
    import json

    try:
        whole = part.decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + (error.start if error.reason == "invalid start byte" else error.end)
        cut = unfinished and error.reason == "unexpected end of data"  # shows only when the file's end is reached
        return Piece(None, end, "not-utf8", NEVER if cut else at)
    text = whole.strip()
    if not text:
        return Piece(None, end, "blank")
    try:
        return Piece(json.loads(text), end, padded=text != whole.strip(" \t\r\n"))
    except json.JSONDecodeError:
        return Piece(None, end, "not-json")
    except ValueError:  # Python's limit on the digits of an integer
        return Piece(None, end, "huge-number")
    except RecursionError:
        return Piece(None, end, "too-deep")


NEVER = 1 << 62
