"""The content that a file is to have: built round by round beside the file, in a folder of ours, never in its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

from memcli.core.composing import Rope
from memcli.model import Edit
from memcli.storage.edits import pieces
from memcli.storage.lines import count
from memcli.storage.reaching import changed
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.versions import CHUNK, Version, read_version

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Draft:
    """What is to become of the file at `path`. `version` is what it was when the draft was begun, `source` the file that
    holds the content so far: the file itself until the first edits are made. Raises CannotRead."""

    def __init__(self, path: str) -> None:
        self.path = self.source = path
        self.version: Version = read_version(path)
        self.rope = Rope(self.version.size)
        self.rounds = 0

    @property
    def digest(self) -> str:
        """SHA-256 of the content so far."""
        return self._digest or self.version.sha256

    _digest = ""

    def make(self, edits: Sequence[Edit]) -> None:
        """Make edits of the content so far. Raises RefusedForSafety when the file changed since the draft was begun."""
        self.rope.apply(edits)
        first = self.source == self.path
        fd = open_regular(self.source)
        seen, written = sha256(), sha256()
        try:
            size = os.fstat(fd).st_size
            if first and size != self.version.size:
                raise changed(self.path)
            target = os.path.join(_folder(), os.urandom(8).hex())
            with open(os.open(target, NEW, 0o600), "wb") as file:
                for piece in pieces(lambda offset, length: os.pread(fd, length, offset), size, edits):
                    written.update(piece)
                    file.write(piece)
            os.utime(target, ns=(self.version.mtime_ns, self.version.mtime_ns))
            if first:  # what was judged and what was spliced must be the same bytes
                place = 0
                while piece := os.pread(fd, CHUNK, place):
                    seen.update(piece)
                    place += len(piece)
                if seen.hexdigest() != self.version.sha256:
                    raise changed(self.path)
        except OSError as error:
            raise unreadable(self.path, error) from error
        finally:
            os.close(fd)
        self.source, self._digest = target, written.hexdigest()
        self.rounds += 1

    @contextmanager
    def reading(self) -> Iterator[Callable[[int, int], bytes]]:
        """A function that reads bytes of the content so far: read(offset, length)."""
        fd = open_regular(self.source)
        try:
            yield lambda offset, length: os.pread(fd, length, offset)
        finally:
            os.close(fd)

    def content(self) -> Iterator[bytes]:
        """The whole content, piece by piece."""
        fd = open_regular(self.source)
        try:
            place = 0
            while piece := os.pread(fd, CHUNK, place):
                yield piece
                place += len(piece)
        finally:
            os.close(fd)


@contextmanager
def line_numbers(path: str) -> Iterator[Callable[[int], int]]:
    """A function that gives the number of the line at a byte; quick for places that come in order."""
    fd = open_regular(path)
    last, number = 0, 1

    def line_of(offset: int) -> int:
        nonlocal last, number
        if offset < last:
            last, number = 0, 1
        number += count(fd, offset, last).newlines
        last = offset
        return number

    try:
        yield line_of
    finally:
        os.close(fd)


def read_at(path: str, offset: int, length: int) -> bytes:
    """Bytes of a file, as many as there are."""
    fd = open_regular(path)
    try:
        return os.pread(fd, length, offset)
    finally:
        os.close(fd)


def _folder() -> str:
    from memcli.storage.archive import private_folder

    if not _made:
        _made.append(private_folder())
    return _made[0]


_made: list[str] = []
