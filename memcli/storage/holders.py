"""Who holds a lock of an agent's protocol; read-only."""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

from memcli.errors import CannotRead
from memcli.storage import processes
from memcli.storage.reading import open_regular


class Lock(NamedTuple):
    """One lock of an agent's protocol, given by a facet of its format.

    "flock": flock(2) on the file at `path`, which stays. "exclusive-file": the file at `path` exists while the lock
    is held, with the holder's pid inside.
    """

    kind: Literal["flock", "exclusive-file"]
    path: str


class Holder(NamedTuple):
    """Who holds a lock. `alive` is None when that cannot be known; `sentence` says it for the user."""

    lock: Lock
    pid: int | None
    alive: bool | None
    sentence: str


def probe(lock: Lock) -> Holder | None:
    """Who holds `lock` now, None when it is free. Creates nothing; a flock that is free is taken, shared, for a
    moment. A pid is somebody else's when its process is younger than the lock file."""
    return _flock_holder(lock) if lock.kind == "flock" else _file_holder(lock)


def _flock_holder(lock: Lock) -> Holder | None:
    import fcntl

    try:
        fd = open_regular(lock.path)
    except CannotRead:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = _flock_owner(os.fstat(fd))
        who = processes.named(pid) if pid else "another process"
        return Holder(lock, pid, True, f"{lock.path} is locked by {who}.")
    except OSError:
        return None  # a file system without flock: nobody can hold it
    finally:
        os.close(fd)
    return None


def _flock_owner(status: os.stat_result) -> int | None:
    """The pid that /proc/locks gives for a flock on this file."""
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        with open("/proc/locks", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == place and int(fields[4]) > 0:
                    return int(fields[4])
    except (OSError, ValueError):
        pass
    return None


def _file_holder(lock: Lock) -> Holder | None:
    try:
        fd = open_regular(lock.path)
    except CannotRead as error:
        missing = not os.path.lexists(lock.path)
        return None if missing else Holder(lock, None, None, f"{lock.path} is there: {error.facts['why']}.")
    try:
        text = os.pread(fd, 64, 0).strip()
        since = os.fstat(fd).st_mtime
    finally:
        os.close(fd)
    if not text.isdigit():
        return Holder(lock, None, None, f"{lock.path} is there and does not say who holds it.")
    pid = int(text)
    if processes.running(pid, since):
        return Holder(lock, pid, True, f"{lock.path} is held by {processes.named(pid)}.")
    return Holder(lock, pid, False, f"{lock.path} was left by process {pid}, which does not run here any more.")
