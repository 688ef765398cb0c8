"""From a buffer of whole lines to hits: candidates are picked out, decoded and judged; lines are counted on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import stringzilla

from memcli.search.parts import File, Segment
from memcli.search.pattern import Pattern
from memcli.search.prefilter import Finder, Prefilter
from memcli.storage.lines import is_blank

Texts = Callable[[bytes], Sequence[str] | None]
"""The texts of the record on a line (contract: memcli.search); None when the line cannot be read, empty when the record
is not asked for (then it never matches, inverted or not)."""

SAMPLES = 20
"""Unreadable lines of a file that are told one by one."""


class Question(NamedTuple):
    """What is asked of every row; see memcli.search.scan.scan."""

    pattern: Pattern
    texts: Texts
    is_preamble: Callable[[bytes], bool] | None = None
    invert: bool = False
    limit: int | None = None
    hits: bool = True


class Judge:
    """Answers one question about buffer after buffer."""

    def __init__(self, question: Question) -> None:
        self.question = question
        anchors = None if question.invert else question.pattern.anchors
        self.prefilter = None if anchors is None else Prefilter(anchors)

    def judge(self, buffer: bytearray, view: memoryview, size: int, segments: list[Segment]) -> None:
        """Search `buffer[:size]`, which `segments` fill without a gap; each ends with a newline."""

        def ends() -> list[int]:
            return [*(segment.place for segment in segments[1:]), size]

        find = self.prefilter.finder(buffer, view, size, ends) if self.prefilter else _every
        if find:
            self._search(buffer, view, find, segments, ends())
        for segment, following in pairwise((*segments, None)):
            if segment and segment.counted:
                self._leave(buffer, view, segment, following.place if following else size)

    def _search(
        self, buffer: bytearray, view: memoryview, find: Finder, segments: list[Segment], ends: list[int]
    ) -> None:
        current = place = 0
        size = ends[-1]
        while place < size and (at := find(place)) >= 0:
            while ends[current] <= at:
                current += 1
            segment = segments[current]
            if segment.file.done:
                place = ends[current]
                continue
            start = buffer.rfind(b"\n", segment.place, at) + 1 or segment.place
            stop = buffer.find(b"\n", at, size)
            place = stop + 1
            self._line(buffer, view, start, stop, segment, ends[current])

    def _line(self, buffer: bytearray, view: memoryview, start: int, stop: int, segment: Segment, end: int) -> None:
        raw = bytes(view[start:stop])
        if is_blank(raw):
            return
        file, question = segment.file, self.question
        offset = segment.offset + start - segment.place
        if file.leading:
            self._header(buffer, segment, end)
        if offset < file.records_from:
            return
        texts = question.texts(raw)
        if texts is None and not raw.strip(b"\0"):
            return  # a block that never reached the disk holds no text to miss
        if texts is None:
            self._unreadable(buffer, view, start, raw, offset, file)
        elif texts and any(map(question.pattern.search, texts)) is not question.invert:
            file.matches += 1
            file.done = file.matches == question.limit
            if question.hits:
                _count(buffer, view, start, file)
                line = file.lines + 1
                file.hits.append((line, line - file.blanks - file.header_rows, offset, raw))

    def _unreadable(self, buffer: bytearray, view: memoryview, start: int, raw: bytes, offset: int, file: File) -> None:
        from memcli.search.lenient import contains

        inside = contains(raw, self.question.pattern)
        file.unreadable += 1
        file.unreadable_bytes += len(raw)
        file.containing += inside
        if len(file.samples) < SAMPLES:
            if self.question.hits:
                _count(buffer, view, start, file)
            line = file.lines + 1 if self.question.hits else 0
            file.samples = (*file.samples, (line, offset, len(raw), inside))

    def _header(self, buffer: bytearray, segment: Segment, end: int) -> None:
        """Move `records_from` of a file past the leading rows of this segment that belong to the header."""
        file, is_preamble = segment.file, self.question.is_preamble
        start = segment.place + max(file.records_from - segment.offset, 0)
        while start < end and file.leading:
            stop = buffer.find(b"\n", start, end)
            raw = bytes(buffer[start:stop])
            if not is_blank(raw):
                file.leading = is_preamble is not None and is_preamble(raw)
                file.header_rows += file.leading
            if file.leading:
                start = stop + 1
        file.records_from = segment.offset + start - segment.place

    def _leave(self, buffer: bytearray, view: memoryview, segment: Segment, end: int) -> None:
        """Finish with a segment: what later segments of the file rely on must be known."""
        if segment.file.done:
            return
        if segment.file.leading:
            self._header(buffer, segment, end)
        if self.question.hits:
            _count(buffer, view, end, segment.file)


def _every(place: int) -> int:
    return place


def _count(buffer: bytearray, view: memoryview, place: int, file: File) -> None:
    """Count lines and blank lines up to `place`, the start of a line."""
    start = file.counted
    if place <= start:
        return
    count = stringzilla.count
    file.lines += count(view, b"\n", start, place)
    # a blank line shows as a newline right behind another; at the start of the buffer there is no other
    if start == 0:
        file.blanks += buffer.startswith((b"\n", b"\r\n"))
    before = max(start - 1, 0)
    file.blanks += count(view, b"\n\n", before, place, True)
    if buffer.find(b"\r", before, place) >= 0:
        file.blanks += count(view, b"\n\r\n", before, place, True)
    file.counted = place
