"""Putting new bytes in the place of old ones: whole or not at all, and never over something that was not read.

The new content is written beside the file and exchanged with it in one step; what comes out is compared with what had
been read, and put back when it differs, so that nothing an agent saved in between is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Mtime = Literal["now", "keep"] | int
"""The new file's time of change: when it was written, that of the old file, or nanoseconds since 1970."""


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


def read_version(path: str) -> Version:
    """The version of the regular file at `path` now, read as a stream. Raises CannotRead."""
    raise NotImplementedError


def replace(
    path: str,
    expected: Version,
    new: bytes | Iterable[bytes],
    *,
    root: str,
    mtime: Mtime = "now",
    mode: int | None = None,
) -> Version:
    """Put `new` in the place of the file at `path`, which must still have the bytes of `expected`; the new version.

    Mode, owner and extended attributes stay (`mode`: other permission bits). A symlink is followed once and must
    lead to a file below the folder `root`. Raises RefusedForSafety when the file changed or is odd (hard links, not
    a regular file, outside of `root`), CannotWrite when the system refused; then the old content is untouched, or
    the sentence says that the new one is in place. Source: cli-contract "Writing" step 3.
    """
    raise NotImplementedError


def create(path: str, data: bytes | Iterable[bytes], *, root: str, mtime: Mtime = "now", mode: int = 0o600) -> Version:
    """Write a new file, whole or not at all; never over one that exists (RefusedForSafety)."""
    raise NotImplementedError


def remove(path: str, expected: Version, *, root: str) -> None:
    """Remove the file at `path` if it still has the bytes of `expected`; else it stays (RefusedForSafety)."""
    raise NotImplementedError
