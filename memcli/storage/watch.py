"""Noticing that files change: inotify on Linux (through ctypes), a look every 20 ms where there is none.

Folders are watched rather than files, so that one watch tells of every file in it: written to, replaced by a
rename, deleted, made anew. Network file systems report only what this machine does, so they are polled too.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from typing import NamedTuple

POLL = 0.02
"""Seconds between two looks where changes are not reported."""
SWEEP = 1.0
"""Seconds between two looks where they are: mmap, another hard link and a moved parent folder go
unreported."""


class Changes(NamedTuple):
    """What happened: `touched` are paths (watched folder + name, or watched file), `deleted` those of them
    that were deleted, whether or not they are there again. `everything`: events were lost, look at all
    files."""

    touched: dict[str, None]
    deleted: set[str]
    everything: bool


class Watch:
    """Waits for changes in folders and files; a context manager.

    `until_closed` is a descriptor that somebody may stop reading (standard output): `ended` is then True,
    as it is after `stop`. `blind` tells that some folder has to be polled, so that a deletion may go by
    unseen.
    """

    def __init__(self, until_closed: int | None = None) -> None:
        self.ended = False
        self._folders: dict[str, tuple[int, int]] = {}  # device and inode when the watch was set
        self._files: dict[str, int] = {}
        self._paths: dict[int, set[str]] = {}  # of each watch descriptor; several links may lead to one folder
        self._unwatched: set[str] = set()
        self._remote: set[str] = set()
        self._inotify = _open_inotify()
        self._wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if hasattr(os, "pipe2") else os.pipe()
        self._until_closed = until_closed
        self._poll = select.poll()
        self._poll.register(self._wake[0], select.POLLIN)
        if self._inotify:
            self._poll.register(self._inotify.fd, select.POLLIN)
        if until_closed is not None:
            self._poll.register(until_closed, 0)  # errors and hang-ups are reported without being asked for

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def blind(self) -> bool:
        """Whether something has to be polled."""
        return self._inotify is None or bool(self._unwatched or self._remote)

    @property
    def interval(self) -> float:
        """Seconds after which to look even if nothing was reported."""
        return POLL if self.blind else SWEEP

    def folder(self, path: str) -> None:
        """Watch the files directly in a folder; one that does not exist is watched as soon as it does."""
        if path not in self._folders:
            self._folders[path] = (0, 0)
            self._set(path)

    def file(self, path: str) -> None:
        """Watch the file that stands at `path` now, wherever it is written from (symbolic and hard links)."""
        if self._inotify is None:
            return
        before = self._files.pop(path, None)
        descriptor = self._inotify.add(path, _OF_FILE)
        if descriptor >= 0:
            self._files[path] = descriptor
            self._paths.setdefault(descriptor, set()).add(path)
        if before is not None and before != descriptor:
            self._drop(before, path)

    def stop(self) -> None:
        """Make `wait` return and `ended` True; may be called from a signal handler or another thread."""
        self.ended = True
        try:
            os.write(self._wake[1], b"x")
        except OSError:
            pass  # the pipe is full, so it wakes anyway; or closed, so nobody waits

    def wait(self, seconds: float) -> Changes:
        """The changes that were reported since the last call, as soon as there are any, or after
        `seconds`."""
        ready = dict(self._poll.poll(max(0.0, seconds) * 1000))
        if self._until_closed in ready or self._wake[0] in ready:
            self.ended = True
        changes = Changes({}, set(), False)
        if self._inotify and self._inotify.fd in ready:
            for descriptor, mask, name in self._inotify.read():
                changes = self._take(changes, descriptor, mask, name)
        return changes

    def refresh(self) -> None:
        """Watch folders that have come to be, and those that were put in the place of a watched one."""
        if self._inotify is None:
            return
        for path, identity in list(self._folders.items()):
            try:
                facts = os.stat(path)
            except OSError:
                continue
            if path in self._unwatched or (facts.st_dev, facts.st_ino) != identity:
                for descriptor in [one for one, paths in self._paths.items() if path in paths]:
                    self._drop(descriptor, path)
                self._set(path)

    def close(self) -> None:
        """Give back every descriptor."""
        fds = [fd for fd in (*self._wake, self._inotify.fd if self._inotify else -1) if fd >= 0]
        self._wake, self._inotify = (-1, -1), None
        for fd in fds:
            os.close(fd)

    def _take(self, changes: Changes, descriptor: int, mask: int, name: str) -> Changes:
        if mask & _Q_OVERFLOW:
            return changes._replace(everything=True)
        for place in list(self._paths.get(descriptor, ())):
            if place in self._folders and name:
                path = os.path.join(place, name)
                changes.touched[path] = None
                if mask & _DELETE:
                    changes.deleted.add(path)
            elif place in self._folders and mask & (_IGNORED | _MOVE_SELF):
                self._drop(descriptor, place)
                self._unwatched.add(place)
                changes = changes._replace(everything=True)
            else:
                changes.touched[place] = None
        if mask & _IGNORED:
            self._paths.pop(descriptor, None)
        return changes

    def _set(self, path: str) -> None:
        self._unwatched.add(path)
        try:
            facts = os.stat(path)
        except OSError:
            return
        if self._inotify is None:
            return
        descriptor = self._inotify.add(path, _OF_FOLDER)
        if descriptor >= 0:
            self._folders[path] = (facts.st_dev, facts.st_ino)
            self._paths.setdefault(descriptor, set()).add(path)
            self._unwatched.discard(path)
        if is_remote(facts.st_dev, _mounts()):
            self._remote.add(path)

    def _drop(self, descriptor: int, path: str) -> None:
        paths = self._paths.get(descriptor, set())
        paths.discard(path)
        if not paths and self._paths.pop(descriptor, None) is not None and self._inotify:
            self._inotify.remove(descriptor)


def is_remote(device: int, mounts: str) -> bool:
    """Whether the file system with that st_dev is on another machine, by the text of /proc/self/mountinfo."""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) > 2 and fields[2] == wanted:
            kind = right.split(" ")[0]
            return kind in _REMOTE or kind.startswith("fuse.")
    return False


class _Inotify(NamedTuple):
    """The three calls of inotify(7); `add` gives the watch descriptor or -1."""

    fd: int
    add: Callable[[str, int], int]
    remove: Callable[[int], object]

    def read(self) -> Iterator[tuple[int, int, str]]:
        """The events that wait: watch descriptor, mask, name."""
        from struct import Struct

        head = Struct("iIII")
        try:
            data = os.read(self.fd, 1 << 18)
        except BlockingIOError:
            return
        place = 0
        while place < len(data):
            descriptor, mask, _, length = head.unpack_from(data, place)
            place += head.size
            yield descriptor, mask, os.fsdecode(data[place : place + length].rstrip(b"\0"))
            place += length


def _open_inotify() -> _Inotify | None:
    """None where there is no inotify, or no more of it (limits of the system)."""
    try:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        init, add, remove = libc.inotify_init1, libc.inotify_add_watch, libc.inotify_rm_watch
    except (ImportError, OSError, AttributeError):
        return None
    fd = int(init(os.O_NONBLOCK | os.O_CLOEXEC))
    if fd < 0:
        return None
    return _Inotify(
        fd,
        lambda path, mask: int(add(fd, os.fsencode(path), ctypes.c_uint32(mask))),
        lambda descriptor: remove(fd, descriptor),
    )


def _mounts() -> str:
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


# inotify(7)
_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _Q_OVERFLOW, _IGNORED, _ONLYDIR = 0x400, 0x800, 0x4000, 0x8000, 0x1000000
_OF_FOLDER = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLYDIR
_OF_FILE = _MODIFY | _ATTRIB | _DELETE_SELF | _MOVE_SELF
_REMOTE = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "ceph",
    "afs",
    "ncpfs",
    "vboxsf",
    "prl_fs",
    "virtiofs",
    "drvfs",
}
