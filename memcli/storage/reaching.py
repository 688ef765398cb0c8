"""Getting at a file that is to be changed: by descriptors from the allowed root down, past no symlink, and nothing odd.

A path that is changed between being looked at and being written to cannot lead out of the root this way.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

from memcli.errors import CannotRead, CannotWrite, MemcliError, RefusedForSafety
from memcli.storage.reading import FLAGS, kind, unreadable
from memcli.storage.versions import Version, version_of

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PASSING = _FOLDER | getattr(os, "O_PATH", 0)
"""For folders on the way: they need not be readable."""


class Place(NamedTuple):
    """A name in an open folder. `path` is what the user is told, `real` where the name is without any symlink."""

    path: str
    real: str
    folder: int
    name: str

    def status(self, name: str = "") -> os.stat_result | None:
        """The status of the file here, or of the one called `name` in the same folder; None when there is none."""
        try:
            return os.stat(name or self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str = "") -> int:
        """A descriptor for reading it. Raises CannotRead, RefusedForSafety for what is not a plain file."""
        try:
            fd = os.open(name or self.name, FLAGS | os.O_NOFOLLOW, dir_fd=self.folder)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _odd(self.path, "it is a symlink") from error
            raise unreadable(self.path, error) from error
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise _odd(self.path, f"it is {kind(status.st_mode)}")
        return fd

    def open_to_change(self) -> int:
        """As `open`, and refuses a file whose old bytes would go on living elsewhere, or whose owner would change."""
        fd = self.open()
        status = os.fstat(fd)
        if status.st_nlink > 1:
            os.close(fd)
            raise _odd(self.path, f"it has {status.st_nlink} hard links, and the others would keep the old content")
        if os.geteuid() not in (0, status.st_uid):
            os.close(fd)
            raise _odd(self.path, "it belongs to another user, and a new file would be yours")
        return fd

    def version(self, name: str = "") -> Version | None:
        """The version of the file here, or of the one called `name`; None when there is no plain, readable file."""
        try:
            fd = self.open(name)
        except MemcliError:
            return None
        try:
            return version_of(fd)
        finally:
            os.close(fd)


class Folders:
    """Open folders, each once; a context manager."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def place(self, path: str, root: str) -> Place:
        """Where `path` is. A symlink is followed, to a file below `root`. Raises RefusedForSafety outside of it,
        CannotRead when a folder on the way is not there."""
        real = _real(path)
        base = _real(root)
        if not real.startswith(base.rstrip(os.sep) + os.sep):
            raise RefusedForSafety(
                f"{path} leads to {real}, outside of {root}; nothing was changed.", path=path, why="outside"
            )
        above, name = os.path.split(real)
        if above not in self._open:
            self._open[above] = _walk(base, os.path.relpath(above, base), path)
        return Place(path, real, self._open[above], name)

    def all(self) -> list[int]:
        """The descriptors of every folder reached so far."""
        return list(self._open.values())

    def close(self) -> None:
        """Give them back."""
        for fd in self._open.values():
            os.close(fd)
        self._open = {}


def refused(path: str, error: OSError, *, in_place: bool = False) -> CannotWrite:
    """The CannotWrite that tells why the system would not write `path`, and which content stands."""
    why = _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()
    if in_place:
        sentence = f"{path} was changed, the new content is in place, but what should have followed failed: {why}."
    else:
        sentence = f"{path} cannot be written: {why}. It was not changed."
    return CannotWrite(sentence, path=path, why=why, in_place=in_place)


def changed(path: str, what: str = "changed after it was read") -> RefusedForSafety:
    """The refusal to write over what was not read."""
    return RefusedForSafety(f"{path} {what}; it was left as it is. Try again later.", path=path, why="changed")


def _odd(path: str, why: str) -> RefusedForSafety:
    return RefusedForSafety(f"{path} is not rewritten: {why}.", path=path, why=why)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError as error:  # a NUL in it
        raise CannotRead(f"{path!r} is not a path.", path=path, why="not a path") from error


def _walk(base: str, below: str, path: str) -> int:
    """A descriptor of the folder `below` `base`, reached step by step without following a symlink."""
    parts = [] if below == "." else below.split(os.sep)
    try:
        fd = os.open(base, _FOLDER if not parts else _PASSING)
        for number, part in enumerate(parts):
            above = fd
            try:
                fd = os.open(part, _PASSING if number < len(parts) - 1 else _FOLDER, dir_fd=above)
            finally:
                os.close(above)
    except OSError as error:
        raise unreadable(path, error) from error
    return fd


_REASONS = {
    errno.ENOSPC: "there is no space left",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EFBIG: "it would be larger than is allowed",
    errno.EIO: "the disk reports an error",
}
