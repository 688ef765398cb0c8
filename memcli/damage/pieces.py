"""Whole records inside a damaged line: where each begins and ends, and what is left between them."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from memcli.damage.grammar import walk
from memcli.storage.shapes import Shapes

TRIES = 3000
"""So many places in one line are tried: a line of a million braces must not take a minute each."""
MANY = 1 << 17
"""A line with more records than this is not taken apart."""
WORK = 64 << 20
"""So many characters are read in vain on one line before it is given up."""


class Piece(NamedTuple):
    """A whole record at [start, end) of a line's text (Latin-1: one character a byte), with its value."""

    start: int
    end: int
    value: dict[str, Any]


def pieces(text: str, shapes: Shapes) -> list[Piece]:
    """The whole records in a text, from left to right.

    As long as one object follows the other from the beginning on, any is taken for a record. Behind anything else something
    was cut, and what follows may lie inside the record that was: only an object that fits the records of the file counts.
    """
    found: list[Piece] = []
    place = expected = _skip(text, 0)
    tries = work = 0
    while match := _BEGIN.search(text, place):
        start = match.start()
        read, end = _read(text, start)
        if read is None:
            place = start + 1
            tries += 1
            work += end - start
            shapes.effort += end - start
            if tries > TRIES or work > WORK:
                return []
            continue
        if len(found) > MANY:
            return []
        place = end
        chained = start == expected and not _goes_on(text, end)
        if chained or (shapes.fits(read.value) and not (shapes.empty and _may_be_nested(text, found, start))):
            found.append(read)
            expected = _skip(text, place) if chained else -1
    return found


def whole_at(text: str, start: int) -> Piece | None:
    """The object that begins at `start`, None when there is none that is whole and UTF-8."""
    return _read(text, start)[0]


def gaps(text: str, found: list[Piece]) -> list[tuple[int, int]]:
    """What of the text belongs to none of the pieces, from one to the next, separators around it taken off."""
    left = []
    place = 0
    for start, end in [*((piece.start, piece.end) for piece in found), (len(text), len(text))]:
        begin = _skip(text, place)
        stop = start
        while stop > begin and text[stop - 1] in SEPARATORS:
            stop -= 1
        if begin < stop:
            left.append((begin, stop))
        place = end
    return left


def without(text: str, found: list[Piece]) -> str:
    """The text with the pieces taken out."""
    kept = []
    place = 0
    for piece in found:
        kept.append(text[place : piece.start])
        place = piece.end
    return "".join([*kept, text[place:]])


def _goes_on(text: str, end: int) -> bool:
    """Whether what stands behind an object belongs to an object around it, the beginning of which is gone."""
    rest = text[end : end + 200].lstrip(" \t\r\n")
    if rest[:1] in ("]", "}", ":", '"'):
        return True
    return rest[:1] == "," and rest[1:].lstrip(" \t\r\n")[:1] == '"'


def _may_be_nested(text: str, found: list[Piece], start: int) -> bool:
    """Whether an object may be a member of the record that was cut before it: only inside a string nothing is."""
    before = walk(text[:start], found[-1].end if found else _skip(text, 0))
    return not (before.sound and before.in_string)


SEPARATORS = " \t\r\n,\0\xef\xbb\xbf"
"""What may stand between records without being part of any: blanks, a comma, NUL, a byte order mark."""
_BEGIN = re.compile(r'\{[ \t\r\n]*"')
_DECODER = JSONDecoder()


def _read(text: str, start: int) -> tuple[Piece | None, int]:
    """The object that begins at `start`, and how far had to be read to know."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        if not isinstance(value, dict):
            return None, end
        if not text.isascii():  # its members' names were read as Latin-1
            value = _DECODER.decode(text[start:end].encode("latin-1").decode("utf-8"))
        return Piece(start, end, value), end
    except JSONDecodeError as error:
        return None, error.pos
    except (ValueError, RecursionError):
        return None, min(len(text), start + (1 << 16))


def _skip(text: str, place: int) -> int:
    match = _SEPARATED.match(text, place)
    return match.end() if match else place


_SEPARATED = re.compile(f"[{SEPARATORS}]*")
