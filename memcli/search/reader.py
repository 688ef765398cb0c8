"""Reading files into one buffer, in whole lines, for the judge.

The buffer is reused, since fresh memory costs more than the search. Small files stand in it back to back and are
searched together; what does not fit is cut at its last newline. Only a line longer than the buffer makes it grow.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.search.judge import Judge
from memcli.search.parts import File, Segment, Sizes
from memcli.storage.reading import unreadable

_STEP = 1 << 16  # read at once behind the end of a range, to finish its last line


class Reader:
    """Fills the buffer and has it judged.

    `used` bytes of the buffer are filled; from `place` on, with byte `offset` of the file, by the file that is being
    read, before that by `segments` of others. `within_long` tells that a line too long to hold is being passed over.
    """

    def __init__(self, judge: Judge, sizes: Sizes) -> None:
        self.judge = judge
        self.sizes = sizes._replace(buffer=min(sizes.buffer, sizes.max_line + 2))
        self.segments: list[Segment] = []
        self.buffer = bytearray()
        self.used = self.place = self.offset = 0
        self.within_long = False
        self._allocate(self.sizes.buffer)

    def at_once(self, fd: int, file: File, size: int) -> bool:
        """Read a file of `size` bytes for which there is room; whether that was all of it, else nothing is done."""
        used = self.used
        room = len(self.buffer) - 1 - used
        if size > room:
            return False
        got = os.preadv(fd, (self.view[used : used + min(size + 1, room)],), 0)
        if got != size:  # it grows or shrinks at this moment, or the file system gives less than was asked for
            return False
        self.place, self.offset, self.used = used, 0, used + size
        self._close(file, False)
        return True

    def read(self, fd: int, file: File, size: int, start: int = 0, end: int = 0) -> Iterator[None]:
        """Read all of `fd`, about `size` bytes, or with `end` the lines that start in its bytes `start` to `end - 1`.

        Yields after each judgement, so that hits can be taken away; the last lines may wait in the buffer for the
        next judgement or `flush`. What the system refuses to read becomes the file's error.
        """
        try:
            if self.used and size - start >= len(self.buffer) - self.used:
                self.flush()
                yield
            if not end and self.at_once(fd, file, size):
                return
            yield from self._fill(fd, file, start, end, size)
        except OSError as error:
            file.error = str(unreadable("", error).facts["why"])
        self._close(file, bool(end))

    def full(self) -> bool:
        """Whether it is time to `flush`."""
        return self.used >= self.sizes.batch

    def flush(self) -> None:
        """Have all that is in the buffer judged."""
        self._judge(self.used)
        self._keep(self.used)

    def _fill(self, fd: int, file: File, start: int, end: int, size: int) -> Iterator[None]:
        position = max(start - 1, 0)
        self.place, self.offset = self.used, position
        self.within_long = False
        skipping = start > 0  # the line of byte `start - 1` belongs to the range before
        while not file.done:
            room = len(self.buffer) - 1 - self.used  # one byte is kept for a missing last newline
            if room == 0:
                skipping = self._make_room(file)
                yield
                continue
            wanted = min(room, end - position if position < end else _STEP) if end else room
            got = os.preadv(fd, (self.view[self.used : self.used + wanted],), position)
            if not got:
                break
            self.used += got
            position += got
            if skipping:
                skipping = self._skip(file)
            if end and position >= end and not self.within_long:
                if self.offset >= end:
                    self.used = self.place
                    break
                newline = self.buffer.find(b"\n", max(self.used - min(got, position - end + 1), self.place), self.used)
                if newline >= 0:
                    self.used = newline + 1
                    break
            elif not end and got < wanted and position >= size:
                break

    def _skip(self, file: File) -> bool:
        """Drop what has been read of a line that is not wanted; whether its end is still to come."""
        newline = self.buffer.find(b"\n", self.place, self.used)
        stop = self.used if newline < 0 else newline + 1
        if self.within_long:
            file.oversize_bytes += stop - self.place - (newline >= 0)
        self.offset += stop - self.place
        rest = self.used - stop
        self.buffer[self.place : self.place + rest] = self.buffer[stop : self.used]
        self.used = self.place + rest
        self.within_long &= newline < 0
        return newline < 0

    def _make_room(self, file: File) -> bool:
        """Empty a full buffer as far as whole lines go, or grow it; whether what follows is to be skipped."""
        cut = self.buffer.rfind(b"\n", self.place, self.used) + 1
        if cut:
            self._add(file, True)
            self._judge(cut)
            self.offset += cut - self.place
            self._keep(cut)
        elif self.place:
            self._judge(self.place)
            self._keep(self.place)
        elif self.used <= self.sizes.max_line:
            doubled, longest = 2 * len(self.buffer), self.sizes.max_line + 2
            self._allocate(doubled if 2 * doubled <= longest else longest)
        else:
            file.oversize += 1
            file.oversize_bytes += self.used
            file.lines += 1
            file.leading = False
            self.offset += self.used
            self._keep(self.used)
            self.within_long = True
        return self.within_long

    def _close(self, file: File, counted: bool) -> None:
        file.whole = True
        if self.used > self.place:
            if self.buffer[self.used - 1] != 10:
                self.buffer[self.used] = 10
                self.used += 1
            self._add(file, counted)
        self.place = self.used

    def _add(self, file: File, counted: bool) -> None:
        file.counted = self.place
        self.segments.append(Segment(self.place, self.offset, file, counted))

    def _judge(self, size: int) -> None:
        if self.segments:
            self.judge.judge(self.buffer, self.view, size, self.segments)
            self.segments = []

    def _keep(self, start: int) -> None:
        """Keep only what stands in the buffer from `start` on, at its beginning; give back what a long line took."""
        rest = self.used - start
        if len(self.buffer) > self.sizes.buffer > rest:
            kept = self.buffer[start : self.used]
            self.used = 0
            self._allocate(self.sizes.buffer)
            self.buffer[:rest] = kept
        elif start:
            self.view[:rest] = self.view[start : self.used]
        self.used, self.place = rest, 0

    def _allocate(self, size: int) -> None:
        """A buffer of `size` bytes that holds what the present one is used for."""
        fresh = bytearray(size)
        view = memoryview(fresh)
        view[: self.used] = memoryview(self.buffer)[: self.used]  # between bytearrays it would be copied twice
        self.buffer, self.view = fresh, view
