"""What a file was at one moment: its size, times, place and the hash of all its bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from memcli.storage.reading import open_regular, unreadable

CHUNK = 1 << 20


Identity = tuple[int, int, int, int]
"""Size, time of change, inode and device of a file."""


class Version(NamedTuple):
    """What a file was at one moment. `mode` are the permission bits."""

    size: int
    mtime_ns: int
    ino: int
    dev: int
    sha256: str
    mode: int

    def same(self, other: Version) -> bool:
        """Whether both have the same bytes."""
        return self.size == other.size and self.sha256 == other.sha256

    @property
    def identity(self) -> Identity:
        """The part that stat tells."""
        return self[:4]

    def stands(self, status: os.stat_result) -> bool:
        """Whether a file with this status has not been touched since: cheap, and enough to skip reading it again."""
        return identity(status) == self.identity


def read_version(path: str) -> Version:
    """The version of the regular file at `path` now, read as a stream. Raises CannotRead."""
    fd = open_regular(path)
    try:
        return version_of(fd)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(fd)


def read_whole(path: str) -> tuple[bytes | None, Version | None]:
    """The bytes of the regular file at `path` and the version that they are of; nothing of a missing one. Raises CannotRead."""
    if not os.path.lexists(path):
        return None, None
    pieces: list[bytes] = []
    fd = open_regular(path)
    try:
        version = version_of(fd, pieces.append)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(fd)
    return b"".join(pieces), version


def version_of(fd: int, take: Callable[[bytes], object] | None = None) -> Version:
    """The version of an open file, read from its first byte as far as it goes; `take` is given each piece.

    Times are those before the first byte was read: a file that changes meanwhile does not `stand` afterwards.
    """
    from hashlib import sha256

    status = os.fstat(fd)
    digest = sha256()
    size = 0
    while piece := os.pread(fd, CHUNK, size):
        digest.update(piece)
        size += len(piece)
        if take is not None:
            take(piece)
    return made(status, size, digest.hexdigest())


def identity(status: os.stat_result) -> Identity:
    """The identity of a file with this status."""
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev


def made(status: os.stat_result, size: int, sha256: str) -> Version:
    """A version from what is known already."""
    return Version(size, status.st_mtime_ns, status.st_ino, status.st_dev, sha256, status.st_mode & 0o7777)
