"""Opening a file for reading, whatever stands at that path.

Never blocks on a FIFO, never reads a device, never follows a symlink loop; every failure is one CannotRead.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from memcli.errors import CannotRead

LEASED = 2000
"""Milliseconds for which a file is waited for that somebody holds a lease on."""
FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0)


def open_regular(path: str) -> int:
    """A read-only descriptor of the regular file at `path` (symlinks followed).

    Raises CannotRead, whose `facts["why"]` is a short clause, when the path is missing, unreadable or not a
    regular file. O_NONBLOCK keeps the open of a FIFO without a writer from hanging.
    """
    return open_sized(path)[0]


def open_sized(path: str) -> tuple[int, int]:
    """Like `open_regular`, with the size of the file, which is known by then."""
    try:
        fd = _open(path)
    except OSError as error:
        raise unreadable(path, error) from error
    status = os.fstat(fd)
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return fd, status.st_size
    os.close(fd)
    raise CannotRead(
        f"{path} is {kind(mode)}, not a file of records; it was not read.", path=path, why=f"it is {kind(mode)}"
    )


def unreadable(path: str, error: OSError) -> CannotRead:
    """The CannotRead that tells why the system refused `path`."""
    why = _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()
    return CannotRead(f"{path} cannot be read: {why}.", path=path, why=why)


def kind(mode: int) -> str:
    """What a st_mode is, in words: "a FIFO", "a device" ..."""
    for test, words in _KINDS:
        if test(mode):
            return words
    return "a regular file" if stat.S_ISREG(mode) else "not a regular file"


def _open(path: str) -> int:
    for _ in range(LEASED):
        try:
            return os.open(path, FLAGS)
        except BlockingIOError:  # another memcli is putting a new content there (leases.py)
            time.sleep(0.001)
    return os.open(path, FLAGS)


_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOENT: "it does not exist",
    errno.ELOOP: "its symlinks form a loop",
    errno.ENXIO: "it is a socket or device without a listener",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.ENAMETOOLONG: "its name is too long",
}
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
