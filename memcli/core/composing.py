"""Edits that were made one round after the other, told as edits of the bytes that the file had at first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from memcli.model import Edit
from memcli.storage.edits import ordered


class Span(NamedTuple):
    """Bytes of the first content that are gone, and the class for which they went."""

    offset: int
    length: int
    code: str


class _Piece(NamedTuple):
    """A stretch of the content as it is now: from the first content (`data` None), or put in by an edit."""

    start: int
    length: int
    data: bytes | None = None
    code: str = ""


class Rope:
    """The content of a file as pieces of what it was at first and of what edits put in between."""

    def __init__(self, size: int) -> None:
        self._pieces: list[_Piece] = [_Piece(0, size)] if size else []
        self._gone: list[Span] = []
        self._first = self.size = size
        self._index()

    def apply(self, edits: Iterable[Edit]) -> None:
        """Make edits whose offsets are those of the content as it is now. Raises edits.Overlap."""
        made: list[_Piece] = []
        left = list(reversed(self._pieces))
        place = 0
        for edit in ordered(edits):
            place = self._pass(left, made, place, edit.offset)
            if edit.replacement:
                made.append(_Piece(0, len(edit.replacement), edit.replacement, edit.code))
            gone: list[_Piece] = []
            place = self._pass(left, gone, place, edit.offset + edit.length)
            self._gone += [Span(piece.start, piece.length, edit.code) for piece in gone if piece.data is None]
        self._pieces = made + left[::-1]
        self._index()

    def origin(self, offset: int) -> int:
        """Where in the first content a byte of the content now stood, or would have stood."""
        number = bisect_right(self._places, offset) - 1
        if number < 0:
            return 0
        piece = self._pieces[number]
        if piece.data is None and offset < self._places[number] + piece.length:
            return piece.start + offset - self._places[number]
        return self._behind[number]

    def edits(self) -> list[Edit]:
        """All edits, in order, as one edit each for what lies together."""
        found: list[Edit] = []
        codes = {span.offset: span.code for span in reversed(self.gone())}
        place = 0
        new: list[bytes] = []
        code = ""
        for piece in [*self._pieces, None]:
            if piece is not None and piece.data is not None:
                new.append(piece.data)
                code = code or piece.code
                continue
            start = piece.start if piece is not None else self._first
            if new or start > place:
                found.append(Edit(place, start - place, b"".join(new), code or codes.get(place, "")))
            if piece is not None:
                place = piece.start + piece.length
            new, code = [], ""
        return found

    def gone(self) -> Sequence[Span]:
        """What of the first content is not there any more, in order."""
        return sorted(self._gone)

    def _index(self) -> None:
        """Where each piece begins now, and where in the first content whatever stands before its end has come to."""
        self._places = list(accumulate((piece.length for piece in self._pieces), initial=0))
        self.size = self._places.pop()
        ends = (piece.start + piece.length if piece.data is None else 0 for piece in self._pieces)
        self._behind = list(accumulate(ends, max))

    @staticmethod
    def _pass(left: list[_Piece], into: list[_Piece], place: int, end: int) -> int:
        """Take pieces from `left` (reversed) up to the byte `end` of the content, parting the one across it."""
        while place < end and left:
            piece = left.pop()
            if place + piece.length > end:
                kept = end - place
                first = None if piece.data is None else piece.data[:kept]
                rest = None if piece.data is None else piece.data[kept:]
                left.append(
                    _Piece(piece.start + (kept if piece.data is None else 0), piece.length - kept, rest, piece.code)
                )
                piece = _Piece(piece.start, kept, first, piece.code)
            into.append(piece)
            place += piece.length
        return place
