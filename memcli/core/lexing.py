"""Where the strings of a line of JSON are, however broken the line is: by quotes and by what stands around them.

On a clean line this is exact. On any other a quote whose neighbours cannot be right where it stands tells that something was
cut away or put in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a line. `string` tells text between quotes (without them); `headless` and `cut` that its beginning or its
    end is gone. `place` is "name" or "value" for a string; `member` is the name before a value, "" where none is."""

    start: int
    end: int
    string: bool
    headless: bool = False
    cut: bool = False
    place: str = ""
    member: str = ""


def spans(line: str) -> Iterator[Span]:
    """The line from end to end as strings and what is between them, quotes left out."""
    python = _PYTHON.match(line) is not None
    quotes = _QUOTES_PYTHON if python else _QUOTES
    place = 0  # up to here everything was told
    opened = ""
    member = ""
    for found in quotes.finditer(line):
        mark = found[0]
        if len(mark) > 1 or (opened and mark != opened):
            continue
        at = found.start()
        before, behind = _neighbours(line, at)
        opens, closes = before in _OPENING, behind in _CLOSING
        if opened and not (opens and not closes):
            where = _where(line, place, behind)
            yield Span(place, at, True, place=where, member=member if where == "value" else "")
            member = line[place:at] if where == "name" else ""
            place, opened = at + 1, ""
            continue
        if opened:  # the string before was cut, and another one begins here
            end = _last(_MARKS_LAST, line, place, at)
            yield _cut(line, place, end, member)
            yield Span(end, at, False)
        elif closes and not opens:  # a string whose beginning is gone
            start = _last(_WORD_LAST, line, place, at)
            yield Span(place, start, False, member=member)
            yield Span(start, at, True, headless=True, place="name" if behind == ":" else "value")
            member = line[start:at] if behind == ":" else ""
            place = at + 1
            continue
        else:
            yield Span(place, at, False, member=member)
        if not line[place:at].strip().startswith(":"):
            member = ""
        place, opened = at + 1, mark
    if opened:
        yield _cut(line, place, len(line), member)
    else:
        yield Span(place, len(line), False, member=member)


def _cut(line: str, start: int, end: int, member: str) -> Span:
    before = line[: start - 1].rstrip()[-1:]
    where = "name" if before in ("{", ",") else "value"
    return Span(start, end, True, cut=True, place=where, member=member if where == "value" else "")


def _where(line: str, start: int, behind: str) -> str:
    return "name" if behind == ":" and not _AFTER_COLON.search(line, max(0, start - 9), start) else "value"


def _neighbours(line: str, at: int) -> tuple[str, str]:
    """The characters before and behind a quote that are no blanks, "" for the ends of the line."""
    low = at
    while low and line[low - 1] in _BLANKS:
        low -= 1
    high = at + 1
    while high < len(line) and line[high] in _BLANKS:
        high += 1
    return line[low - 1] if low else "", line[high] if high < len(line) else ""


def _last(pattern: re.Pattern[str], line: str, start: int, end: int) -> int:
    """Where the last run that fits a pattern begins, which goes up to `end`."""
    found = pattern.search(line, start, end)
    return found.start() if found else end


_BLANKS = " \t\r\ufeff\0"
_OPENING = ("{", "[", ",", ":", "(", "")
_CLOSING = (":", ",", "}", "]", ")", "")
_QUOTES = re.compile(r'\\.|"', re.DOTALL)
_QUOTES_PYTHON = re.compile(r"\\.|[\"']", re.DOTALL)
_PYTHON = re.compile(r"\s*[{\[(]\s*'")
_MARKS_LAST = re.compile(r"[\s{\[,:(]*$")
_WORD_LAST = re.compile(r"[^\s{}\[\],:\"]*$")
_AFTER_COLON = re.compile(r":\s*[\"']$")
