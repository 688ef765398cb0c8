"""One file that is followed: every line that is completed in it is told once, whatever becomes of the file.

The rule for a file that was replaced, cut short or written over: where the last lines that were passed
still stand at their place (or as much further as the first line, the header, has grown), what follows them
is new. Otherwise the file is read from its beginning, and old lines are recognised by their bytes and their
order; what is not recognised is new. A first line in front of old lines is a changed header and is not
told.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memcli.core.remembering import History, Recognition
from memcli.errors import CannotRead
from memcli.model import Line
from memcli.storage import lines, reading

ANCHOR = 4096
"""Bytes before the place where reading goes on; that they still stand there shows it to be the same text."""
QUIET = 0.03
"""Seconds without a change after which a first line that stands alone in a rewritten file is told."""
SETTLED = 0.3
"""Seconds without a change after which a file that is written over counts as complete."""


class Mark(NamedTuple):
    """Where to begin in a file: behind byte `position`, before which the bytes `anchor` stand."""

    position: int
    anchor: bytes = b""


def mark(fd: int, position: int) -> Mark:
    """The mark for a place in an open file."""
    size = min(ANCHOR, position)
    return Mark(position, os.pread(fd, size, position - size))


class Followed:
    """What is known of one file. `look` gives the lines completed since the last look.

    Without a `start` it begins at the end of the file, with an unfinished last line still to come.
    `identity` is the device and inode of the file that is followed now; `deadline` the moment
    (time.monotonic) at which to look again even if nothing changes. `notice` gets a sentence when the file
    cannot be followed for now.
    """

    def __init__(self, path: str, start: Mark | None, notice: Callable[[str], None]) -> None:
        self.path = path
        self.identity: tuple[int, int] | None = None
        self.deadline: float | None = None
        self._notice = notice
        self._trouble = ""
        self._fd = -1
        self._signature: tuple[int, ...] = ()
        self._forget()
        self._begin(start)

    @property
    def is_open(self) -> bool:
        """Whether it holds a descriptor."""
        return self._fd >= 0

    def look(self, deleted: bool = False, blind: bool = False, sweep: bool = False) -> Iterator[Line]:
        """The lines completed since the last look.

        `deleted`: a deletion at this path was reported; `blind`: deletions are not reported, so that a
        missing file was deleted; `sweep`: nothing was reported, an unchanged file need not be read.
        """
        try:
            facts = os.stat(self.path)
        except OSError as error:
            yield from self._read()
            self._lose(reading.unreadable(self.path, error).sentence)
            if deleted or (blind and isinstance(error, FileNotFoundError)):
                self._forget()
            return
        identity = (facts.st_dev, facts.st_ino)
        signature = (*identity, facts.st_size, facts.st_mtime_ns, facts.st_mode)
        if sweep and signature == self._signature and self.deadline is None:
            return
        same = identity == self.identity
        if not (same and self.is_open):
            # the old file first: what was appended to it before it went is nowhere else
            yield from self._read()
            if deleted:
                self._forget()
            if not self._open(facts):
                return
        self._signature = signature
        yield from self._read(another=not same)

    def rest(self) -> None:
        """Give the descriptor back; the next look opens the file again."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _begin(self, start: Mark | None) -> None:
        try:
            facts = os.stat(self.path)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._lose(reading.unreadable(self.path, error).sentence)
            return
        if not self._open(facts):
            return
        try:
            self._pass(os.fstat(self._fd).st_size, start)
        except OSError as error:
            self._lose(reading.unreadable(self.path, error).sentence)

    def _pass(self, size: int, start: Mark | None) -> None:
        """Remember what stands before the start, without telling it."""
        position = size if start is None else _find(self._fd, size, start)
        self._history, self._unfinished = History.before(self._fd, position)
        if start is None and self._unfinished:
            position -= self._history.sizes.pop()
            self._history.hashes.pop()
            self._unfinished = False
        self._number = len(self._history.hashes) + (not self._unfinished) if self._history.whole else 0
        self._go_to(position)

    def _forget(self) -> None:
        """As if the file had never been there."""
        self.rest()
        self.identity = None
        self.deadline = None
        self._history = History()
        self._recognition: Recognition | None = None
        self._held: list[Line] = []
        self._number = 1  # of the line that begins at _position; 0 when it is not known
        self._unfinished = False  # the line before _position was told before its newline came
        self._position = self._scanned = 0
        self._anchor = b""

    def _open(self, facts: os.stat_result) -> bool:
        self.rest()
        if not stat.S_ISREG(facts.st_mode):  # not even opened: that would wake a writer, or rewind a tape
            kind = reading.kind(facts.st_mode)
            self._lose(f"{self.path} is {kind}, not a file of records; waiting for a file.")
            return False
        try:
            self._fd = reading.open_regular(self.path)
        except CannotRead as error:
            self._lose(error.sentence)
            return False
        opened = os.fstat(self._fd)
        self.identity = (opened.st_dev, opened.st_ino)
        self._scanned = self._position
        self._trouble = ""
        return True

    def _lose(self, sentence: str) -> None:
        self.rest()
        self._signature = ()
        if sentence != self._trouble:
            self._trouble = sentence
            self._notice(sentence)

    def _stands(self) -> bool:
        """Whether the text before the place where reading goes on is still the same."""
        size = len(self._anchor)
        return os.pread(self._fd, size, self._position - size) == self._anchor

    def _read(self, another: bool = False) -> Iterator[Line]:
        """What is new in the open file; `another`: it is another file than the one that was read last."""
        if self._fd < 0:
            return
        passed = bool(self._history.hashes) or self._recognition is not None
        try:
            if passed and (another or not self._stands()):
                self._resume()
            while (batch := self._batch()) is not None:
                yield from self._told(batch)
            yield from self._settle()
        except OSError as error:  # a disk or a network that fails
            self._lose(reading.unreadable(self.path, error).sentence)

    def _batch(self) -> list[Line] | None:
        """The next complete lines, about a chunk of them; None when there are none."""
        size = os.fstat(self._fd).st_size
        if self._scanned > size:
            self._scanned = self._position
        while self._scanned < size:
            chunk = os.pread(self._fd, min(lines.CHUNK, size - self._scanned), self._scanned)
            newline = chunk.rfind(b"\n")
            end = self._scanned + newline + 1
            if newline < 0:
                if not chunk:
                    return None
                self._scanned += len(chunk)  # a long line that grows is not searched again
                continue
            batch = self._lines(end)
            # in a text that was passed before, there may be no anchor that tells it from the next version of it
            again = batch if self._recognition is None else self._lines(end)
            after = mark(self._fd, end).anchor
            if not (batch and batch == again and after.endswith(_tail(batch)) and self._stands()):
                self._resume()  # it was written over while it was read
                size = os.fstat(self._fd).st_size
                continue
            if not self._number:
                batch = [line._replace(number=0) for line in batch]
            self._advance(batch, end, after)
            return batch
        return None

    def _lines(self, end: int) -> list[Line]:
        batch = list(lines.forward(self._fd, self._position, max(self._number, 1), end))
        return batch if batch and batch[-1].ended else []

    def _advance(self, batch: list[Line], end: int, anchor: bytes) -> None:
        if self._number:
            self._number += len(batch)
        if self._unfinished:
            self._unfinished = False
            if batch[0].length == 0:
                del batch[0]  # only the newline of a line that was told
        for line in batch:
            self._history.add(line)
        self._position = self._scanned = end
        self._anchor = anchor

    def _told(self, batch: list[Line]) -> Iterator[Line]:
        """Those of the lines that are new."""
        for place, line in enumerate(batch):
            known = self._recognition
            if known is None:
                yield from batch[place:]
                return
            self.deadline = time.monotonic() + SETTLED
            if known.knows(line):
                if not known.decided:
                    known.decided = True
                    self._held.clear()
                if known.done:
                    self._recognition = self.deadline = None
            elif known.decided or (known.whole and line.offset > 0):
                known.decided = True
                for one in (*self._held, line):
                    known.show(one)
                    yield one
                self._held.clear()
            elif known.whole:
                self._held = [line]
                self.deadline = time.monotonic() + QUIET

    def _settle(self) -> Iterator[Line]:
        """What is new after all, when nothing was recognised and nothing changes any more."""
        if self.deadline is None or time.monotonic() < self.deadline:
            return
        known = self._recognition
        if known and self._held:
            for line in self._held:
                known.show(line)
                yield line
            self._held = []
            self.deadline += SETTLED
            return
        self._recognition = self.deadline = None
        if known and not known.decided and not known.whole:  # nothing was recognised, so all of it is new
            self._history = History()
            self._number = 1
            self._go_to(0)
            while (batch := self._batch()) is not None:
                yield from self._told(batch)

    def _resume(self) -> None:
        """Find the place to go on in a file that is not simply longer than before."""
        known = self._recognition
        self._recognition = None
        self._held = []
        self._unfinished = False
        if known is None:
            place = self._history.find(self._fd)
            old = list(self._history.hashes)
            if place:
                behind = len(old) - place.passed
                self._history.keep(place.passed)
                self._number = max(self._number - behind - place.unfinished, 0)
                self._unfinished = place.unfinished
                self._go_to(place.position)
                if behind:
                    self._recognise(old, self._history.whole, place.passed)
                return
            whole = self._history.whole
        else:
            old, whole = known.remembered(), known.whole
        self._history = History()
        self._number = 1
        self._go_to(0)
        self._recognise(old, whole)

    def _recognise(self, old: list[int], whole: bool, passed: int = 0) -> None:
        self._recognition = Recognition(old, whole, passed)
        self.deadline = time.monotonic() + SETTLED

    def _go_to(self, position: int) -> None:
        self._position = self._scanned = position
        self._anchor = mark(self._fd, position).anchor


def _find(fd: int, size: int, start: Mark) -> int:
    """The place of a mark in a file that may have been rewritten since; 0 when it is not in it any more."""
    text = start.anchor
    if start.position <= size and os.pread(fd, len(text), start.position - len(text)) == text:
        return start.position
    begin = max(size - lines.CHUNK, 0)
    data = b"\n" + os.pread(fd, size - begin, begin)
    if start.position == len(text):
        text = b"\n" + text
    while text:
        at = data.rfind(text)
        if at >= 0:
            return begin + at + len(text) - 1
        # the header, or a row that was trimmed, may be another now: only whole lines, fewer and fewer
        whole = text.find(b"\n", 1)
        text = text[whole:] if 0 < whole < len(text) - 1 else b""
    return 0


def _tail(batch: list[Line]) -> bytes:
    """The last bytes of the lines, as far as an anchor goes."""
    raw = batch[-1].raw
    return b"" if raw is None else (raw + b"\n")[-ANCHOR:]
