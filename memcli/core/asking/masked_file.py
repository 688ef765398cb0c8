"""One memory file in memory, as a model may see and edit it: what is masked in it comes out again as it was, and only there."""

from __future__ import annotations

import re
from typing import NamedTuple

from memcli.core.redacting import Redactor


class Refused(Exception):
    """An edit that is not made; the text says why, for the model."""


class _Span(NamedTuple):
    """A label at `text[start:end]` of what is shown, and what stands there in truth."""

    start: int
    end: int
    value: str


class MaskedFile:
    """`shown` is the text with labels. An edit of it never touches what a label stands for: a value that is edited away is gone,
    a label that is kept stays the value, and one that is new stays a label."""

    def __init__(self, text: str, redactor: Redactor) -> None:
        pieces: list[str] = []
        self._spans: list[_Span] = []
        place = 0
        for piece, label in redactor.pieces(text):
            shown = label or piece
            if label:
                self._spans.append(_Span(place, place + len(shown), piece))
            pieces.append(shown)
            place += len(shown)
        self.shown = "".join(pieces)

    @property
    def text(self) -> str:
        """The file as it is to be written."""
        pieces: list[str] = []
        place = 0
        for span in self._spans:
            pieces += [self.shown[place : span.start], span.value]
            place = span.end
        return "".join([*pieces, self.shown[place:]])

    def edit(self, old: str, new: str) -> None:
        """Replace the one place where `old` stands. Raises Refused where there is none, or more than one."""
        if old == new:
            raise Refused("old_string and new_string are the same: nothing would change")
        if not old:
            if self.shown.strip():
                raise Refused(
                    "old_string is empty; to add lines, give an existing line, and the same line with the new ones behind it"
                )
            self.shown, self._spans = new, []
            return
        start = self.shown.find(old)
        if start < 0:
            raise Refused("old_string does not stand in the file; read_file shows what does")
        if self.shown.find(old, start + 1) >= 0:
            raise Refused("old_string stands in the file more than once; give more of what is around it")
        self._replace(start, start + len(old), new)

    def _replace(self, start: int, end: int, new: str) -> None:
        inside = [span for span in self._spans if span.start >= start and span.end <= end]
        outside = [span for span in self._spans if span.end <= start or span.start >= end]
        if len(inside) + len(outside) < len(self._spans):
            raise Refused("the edit would cut through the label of something that is masked; take all of it or nothing")
        kept: list[_Span] = []
        for span in inside:
            label = self.shown[span.start : span.end]
            taken = {one.start for one in kept}
            places = (start + match.start() for match in re.finditer(re.escape(label), new))
            place = next((place for place in places if place not in taken), None)
            if place is not None:
                kept.append(_Span(place, place + len(label), span.value))
        shift = len(new) - (end - start)
        moved = [
            span if span.end <= start else _Span(span.start + shift, span.end + shift, span.value) for span in outside
        ]
        self.shown = self.shown[:start] + new + self.shown[end:]
        self._spans = sorted([*moved, *kept])
