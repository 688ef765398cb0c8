"""Every system call by which memcli changes something on disk: one function each, and nothing above them.

The write path calls them as attributes of this module, so that a test can put a failing function in the place of any
(CALLS lists them); in production there is nothing in between. `folder` is the descriptor of the folder that a name
is in; a moved or swapped path cannot lead elsewhere.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CALLS = (
    "create",
    "open_to_append",
    "open_to_rewrite",
    "open_lock",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "rename",
    "rename_new",
    "exchange",
    "link",
    "unlink",
    "mkdir",
    "rmdir",
    "fchmod",
    "fchown",
    "setxattr",
    "utime",
    "flock",
)
NO_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
"""What a file system answers that cannot exchange two names: FUSE gives EINVAL (reliability.md 2.5)."""
NO_LINK = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
"""What a file system answers that has no hard links."""


def create(name: str, mode: int, folder: int | None = None) -> int:
    """A descriptor for writing a new file; EEXIST when the name is taken, by a symlink too."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, mode, dir_fd=folder)


def open_to_append(name: str, folder: int | None = None) -> int:
    """A descriptor of an existing file whose writes go to its end. Never waits for the reader of a FIFO."""
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    return os.open(name, flags, dir_fd=folder)


def open_to_rewrite(name: str, folder: int) -> int:
    """A descriptor of an existing file, to be read and written. Never waits."""
    return os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)


def open_lock(path: str, mode: int) -> int:
    """A descriptor of a lock file, made when it is missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode)


def write(fd: int, data: bytes | memoryview) -> int:
    """Write once; how many bytes were taken, perhaps fewer than given."""
    return os.write(fd, data)


def fsync(fd: int) -> None:
    """Have what was written to a file, or the names in a folder, on the disk itself."""
    import fcntl

    full: int | None = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:  # macOS: fsync leaves the data in the drive's cache
        try:
            fcntl.fcntl(fd, full)
            return
        except OSError:
            pass  # not every file system there has it
    os.fsync(fd)


def fdatasync(fd: int) -> None:
    """As `fsync`, without times and mode where the system can tell them apart."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(fd)
    else:
        fsync(fd)


def ftruncate(fd: int, size: int) -> None:
    """Cut a file to `size` bytes."""
    os.ftruncate(fd, size)


def rename(old: str, new: str, folder: int | None = None, to: int | None = None) -> None:
    """Give a file another name, over whatever has it. `to` is the folder of the new name when it is another one."""
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder if to is None else to)


def rename_new(old: str, new: str, folder: int) -> None:
    """As `rename`, but EEXIST when the new name is taken; NO_EXCHANGE where the file system cannot promise that."""
    _renameat2(old, new, folder, _NOREPLACE)


def exchange(one: str, other: str, folder: int) -> None:
    """Exchange two names in one step; NO_EXCHANGE where the file system cannot."""
    _renameat2(one, other, folder, _EXCHANGE)


def link(old: str, new: str, folder: int) -> None:
    """A second name of a file; EEXIST when it is taken."""
    os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)


def unlink(name: str, folder: int | None = None) -> None:
    """Remove a name."""
    os.unlink(name, dir_fd=folder)


def mkdir(name: str, mode: int) -> None:
    """Make a folder."""
    os.mkdir(name, mode)


def rmdir(name: str) -> None:
    """Remove an empty folder."""
    os.rmdir(name)


def fchmod(fd: int, mode: int) -> None:
    """Set the permission bits."""
    os.fchmod(fd, mode)


def fchown(fd: int, user: int, group: int) -> None:
    """Set the owner; -1 leaves one as it is."""
    os.fchown(fd, user, group)


def setxattr(fd: int, name: str, value: bytes) -> None:
    """Set an extended attribute; only where the system has them (os.listxattr)."""
    os.setxattr(fd, name, value)


def utime(fd: int, accessed_ns: int, changed_ns: int) -> None:
    """Set the times of access and change."""
    os.utime(fd, ns=(accessed_ns, changed_ns))


def flock(fd: int, operation: int) -> None:
    """flock(2)."""
    import fcntl

    fcntl.flock(fd, operation)


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`: a full disk, a limit or a signal can make any one write a short one."""
    view = memoryview(data)
    while view:
        taken = write(fd, view)
        if not taken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        view = view[taken:]


def copy_rest(source: int, onto: int, position: int = 0) -> None:
    """Write what `source` holds from byte `position` on behind what was written to `onto`."""
    while piece := os.pread(source, 1 << 20, position):
        write_all(onto, piece)
        position += len(piece)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C and requests to end waiting until the block is done."""
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _renameat2(old: str, new: str, folder: int, flags: int) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    call: Any = getattr(libc, "renameat2", None)
    if call is None:  # macOS calls it so; its flags are others
        call = getattr(libc, "renameatx_np", None)
        flags = _SWAP if flags == _EXCHANGE else _EXCL
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), new)
    if call(folder, os.fsencode(old), folder, os.fsencode(new), ctypes.c_uint(flags)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), new)


_NOREPLACE, _EXCHANGE = 1, 2  # renameat2(2)
_SWAP, _EXCL = 2, 4  # renameatx_np(2)
