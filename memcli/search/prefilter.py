"""Picking out, in a buffer of whole lines, those that may match; sound for every JSON spelling at any depth.

A line that matches holds one of the anchors. Either the anchor is spelled raw, which one exact or case-folding pass
finds; or one of its characters is spelled \\uXXXX, in any mixture and depth; or, in JSON inside JSON, an ASCII
character of such an escape is itself spelled \\u00XX; or the line holds NUL bytes, which may be dropped in decoding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain

import stringzilla

from memcli.search.anchors import Anchor

Finder = Callable[[int], int]
"""The first place at or after a place in the buffer, -1 for none; each call goes on from the last, never back."""

PATIENCE = 24
"""Escapes that may be looked at one by one before it pays to search for the relevant ones."""

_DISGUISE = "\\u0123456789abcdefABCDEF"
"""What an escape is written with; JSON inside JSON may have these escaped."""


class Prefilter:
    """The passes over a buffer that `anchors` need."""

    def __init__(self, anchors: Sequence[Anchor]) -> None:
        self.exact = list(dict.fromkeys(chain.from_iterable(anchor.exact for anchor in anchors)))
        self.folded = list(dict.fromkeys(anchor.folded for anchor in anchors if anchor.folded))
        escaped = {_code(form) for anchor in anchors for unit in anchor.units for form in unit}
        self.codes = escaped | {_code(char) for char in _DISGUISE} if escaped else set()
        self.key = b"\\u00" if all(code.startswith(b"00") for code in self.codes) else b"\\u"
        self.anchors = anchors

    @cached_property
    def low(self) -> re.Pattern[bytes]:
        """What finds the relevant escapes below \\u0100."""
        return _low_escapes(self.codes)

    @cached_property
    def high(self) -> list[tuple[bytes, re.Pattern[bytes] | None]]:
        """What finds the spellings with any other escape."""
        return [search for anchor in self.anchors for search in _high_escapes(anchor.units)]

    def finder(
        self, buffer: bytearray, view: memoryview, size: int, ends: Callable[[], Sequence[int]]
    ) -> Finder | None:
        """Candidates in `buffer[:size]`: each place found lies in a line that may match, and no such line is left
        out. None when there is none, which is the usual case and decided with as little ado as possible.

        `view` is a view of `buffer`; `ends` gives the ascending places where one file's part ends and the next begins.
        """
        finders = [_exact(view, size, needle) for needle in self.exact]
        finders += [_folded(view, size, needle) for needle in self.folded]
        if self.codes:
            finders.append(self._escapes(buffer, view, size, ends))
        finders.append(lambda place: buffer.find(0, place, size))
        return _earliest(finders)

    def _escapes(self, buffer: bytearray, view: memoryview, size: int, ends: Callable[[], Sequence[int]]) -> Finder:
        """Relevant escapes: one by one where there are few, by passes of their own in a file that is full of them."""
        key, codes, find = self.key, self.codes, stringzilla.find
        dense: Finder | None = None
        dense_end = 0
        seen = 0

        def escapes(place: int) -> int:
            nonlocal dense, dense_end, seen
            while True:
                if dense is not None:
                    found = dense(place) if place < dense_end else -1
                    if found >= 0:
                        return found
                    place = max(place, dense_end)
                    dense, seen = None, 0
                at = int(find(view, key, place, size))
                if at < 0 or bytes(view[at + 2 : at + 6]).lower() in codes:
                    return at
                place = at + 2
                seen += 1
                if seen > PATIENCE:
                    dense_end = next((end for end in ends() if end > at), size)
                    dense = self._dense(buffer, view, place, dense_end)

        return escapes

    def _dense(self, buffer: bytearray, view: memoryview, start: int, size: int) -> Finder:
        finders = [_matching(buffer, view, size, needle, match) for needle, match in self.high]
        return _earliest([*finders, self._low(buffer, view, size)], start) or _nowhere

    def _low(self, buffer: bytearray, view: memoryview, size: int) -> Finder:
        """Relevant escapes below \\u0100; a search by re when others abound (colours of a terminal, French)."""
        codes, find = self.codes, stringzilla.find
        seen = 0

        def low(place: int) -> int:
            nonlocal seen
            while seen <= PATIENCE:
                at = int(find(view, b"\\u00", place, size))
                if at < 0 or bytes(view[at + 2 : at + 6]).lower() in codes:
                    return at
                place = at + 2
                seen += 1
            match = self.low.search(buffer, place, size)
            return match.start() if match else -1

        return low


def _nowhere(place: int) -> int:
    return -1


def _exact(view: memoryview, size: int, needle: bytes) -> Finder:
    find = stringzilla.find
    return lambda place: int(find(view, needle, place, size))


def _folded(view: memoryview, size: int, needle: bytes) -> Finder:
    """ASCII needles only: with other scripts stringzilla 5.3.2 misses some (U+017E beside U+1EA3)."""
    find = stringzilla.utf8_uncased_search
    return lambda place: int(find(view, needle, place, size))


def _matching(buffer: bytearray, view: memoryview, size: int, needle: bytes, match: re.Pattern[bytes] | None) -> Finder:
    """Places of `needle`, case folded, where also `match` holds."""
    find = stringzilla.find if needle.upper() == needle.replace(b"\\u", b"\\U") else stringzilla.utf8_uncased_search

    def matching(place: int) -> int:
        while True:
            at = int(find(view, needle, place, size))
            if at < 0 or match is None or match.match(buffer, at, size):
                return at
            place = at + 1

    return matching


def _earliest(finders: list[Finder], start: int = 0) -> Finder | None:
    """The merger of several from `start` on, None when none finds anything.

    Each one's last answer is kept until it is passed: asking again for what is not there costs a pass over the rest.
    """
    answers: list[int] = []
    useful: list[Finder] = []
    for finder in finders:
        answer = finder(start)
        if answer >= 0:
            answers.append(answer)
            useful.append(finder)
    if not useful:
        return None

    def earliest(place: int) -> int:
        first = -1
        for index, answer in enumerate(answers):
            if 0 <= answer < place:
                answer = answers[index] = useful[index](place)
            if answer >= 0 and (first < 0 or answer < first):
                first = answer
        return first

    return earliest


def _code(character: str) -> bytes:
    """The four hex digits, small, of a character's escape; of its first half where it takes two."""
    code = ord(character)
    return b"%04x" % (code if code < 0x10000 else 0xD800 + (code - 0x10000 >> 10))


def _low_escapes(codes: set[bytes]) -> re.Pattern[bytes]:
    low = sorted(code[2:] for code in codes if code.startswith(b"00"))
    both = dict.fromkeys(form for code in low for form in (code, code.upper(), code.title()))
    # no IGNORECASE: it would cost the literal prefix, by which re skips ahead
    return re.compile(rb"\\u00(?:" + b"|".join(both) + b")")


def _high_escapes(units: tuple[tuple[str, ...], ...]) -> list[tuple[bytes, re.Pattern[bytes] | None]]:
    """Searches that find every spelling in which some character from U+0100 on is escaped.

    Take the first character that is escaped. When the one before it is not ASCII either, that one stands there raw
    with a backslash behind: rare, since writers that leave it raw leave both raw. Else its escape itself is searched,
    followed by the next character raw or escaped.
    """
    searches: list[tuple[bytes, re.Pattern[bytes] | None]] = []
    for index, unit in enumerate(units):
        high = [form for form in unit if form >= "\u0100"]
        before = units[index - 1] if index else ("a",)
        if high and min(before) > "\u007f":
            searches += [(form.encode() + b"\\", None) for form in before]
        else:
            follow = _spelled(units[index + 1]) if index + 1 < len(units) else b""
            searches += [(b"\\u" + _code(form), re.compile(_escaped(form) + follow, re.IGNORECASE)) for form in high]
    return searches


def _spelled(unit: tuple[str, ...]) -> bytes:
    raw = [re.escape(form.encode()) for form in unit]
    return b"(?:" + b"|".join(raw + [_escaped(form) for form in unit]) + b")"


def _escaped(character: str) -> bytes:
    code = ord(character)
    second = rb"\\+u%04x" % (0xDC00 + (code - 0x10000 & 0x3FF)) if code >= 0x10000 else b""
    return rb"\\+u" + _code(character) + second
