"""The locks that the kernel keeps (flock, fcntl, leases), as /proc/locks tells them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memcli.storage import descriptors, processes

KINDS = {"FLOCK": "flock", "POSIX": "posix", "OFDLCK": "ofd", "LEASE": "lease"}
"""The kernel's words, and ours."""


class KernelLock(NamedTuple):
    """A lock on the file with this device (`major:minor` as the kernel writes them) and inode. `pid` is who took it, 0 or
    less when the kernel does not tell; `waiting` are the pids that are blocked until it is gone."""

    kind: str
    pid: int
    device: str
    inode: int
    waiting: tuple[int, ...] = ()


def table() -> list[KernelLock]:
    """Every lock that can be seen from here; [] where the kernel does not tell."""
    found: dict[str, KernelLock] = {}
    try:
        with open(f"{processes.PROC}/locks", encoding="ascii", errors="replace") as file:
            for line in file:
                try:
                    number, *fields = line.split()
                    waits = fields[:1] == ["->"]
                    lock = _lock(fields[waits:])
                except (ValueError, IndexError):
                    continue
                if waits and number in found:
                    blocking = found[number]
                    found[number] = blocking._replace(waiting=(*blocking.waiting, lock.pid))
                elif not waits:
                    found[number] = lock
    except OSError:
        return []
    return [lock for lock in found.values() if lock.kind in KINDS.values()]


def on(files: dict[str, os.stat_result]) -> Iterator[tuple[str, KernelLock]]:
    """The locks on some files, given by path, each with the path; `pid` is who holds it now, 0 when that is not known."""
    known: dict[int, list[str]] = {}
    for path, status in files.items():
        known.setdefault(status.st_ino, []).append(path)
    for lock in table():
        for path in known.get(lock.inode, ()):
            status = files[path]
            same = lock.device == f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
            # some file systems (btrfs) tell the kernel and stat different devices: an open descriptor tells for sure
            if same or any(one.pid == lock.pid for one in descriptors.opened({path: status})):
                yield path, lock._replace(pid=_holding(lock, path, status))


def _holding(lock: KernelLock, path: str, status: os.stat_result) -> int:
    """Who holds a lock: the process that took it, or the one that was left its descriptor when that ended."""
    if lock.pid > 0 and processes.running(lock.pid):
        return lock.pid
    return next((one.pid for one in descriptors.opened({path: status}) if one.locked), 0)


def _lock(fields: list[str]) -> KernelLock:
    major, minor, inode = fields[4].split(":")
    return KernelLock(KINDS.get(fields[0], ""), int(fields[3]), f"{major}:{minor}", int(inode))
