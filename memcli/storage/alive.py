"""Signs that an agent is at work on a file; read-only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memcli.errors import CannotRead
from memcli.storage import processes
from memcli.storage.holders import Lock, probe
from memcli.storage.reading import open_regular
from memcli.storage.versions import Version

BEACON = 1 << 16
"""Bytes of a beacon that are read."""


class Sign(NamedTuple):
    """One sign of life: `kind` is "open", "lock", "recent" or "beacon"; `path` the file it is about."""

    kind: str
    path: str
    pid: int | None
    sentence: str


def signs(
    paths: Sequence[str],
    *,
    idle: float,
    locks: Sequence[Lock] = (),
    beacons: Sequence[str] = (),
    left: Mapping[str, Version] | None = None,
    now: float | None = None,
) -> list[Sign]:
    """The signs of life on the files `paths`, [] when all is quiet.

    `idle`: seconds within which a change is a sign, unless the file is still what memcli's own last operation left
    (`left`, from undo.left). `locks`: the agent's locks that guard them. `beacons`: files in which a running agent
    names its pid as {"pid": N}; they need not exist. A lock whose holder is gone is no sign of life.
    """
    found = [*_open(paths), *_locked(locks), *_beacons(beacons)]
    return found + list(_recent(paths, idle, left or {}, time.time() if now is None else now))


def _open(paths: Sequence[str]) -> Iterator[Sign]:
    """Open descriptors for writing, of every process that may be looked into (root: all). 11 ms for 112 processes."""
    wanted = {(status.st_dev, status.st_ino): path for path in paths if (status := _status(path))}
    mine = os.getpid()
    for pid in _numbers("/proc") if wanted else ():
        if pid == mine:
            continue
        for fd in _numbers(f"/proc/{pid}/fd"):
            status = _status(f"/proc/{pid}/fd/{fd}")
            path = wanted.get((status.st_dev, status.st_ino)) if status else None
            if path and _for_writing(pid, fd):
                yield Sign("open", path, pid, f"{processes.named(pid)} has {path} open for writing.")
                break


def _locked(locks: Sequence[Lock]) -> Iterator[Sign]:
    for lock in locks:
        holder = probe(lock)
        if holder is not None and holder.alive is not False and holder.pid != os.getpid():
            yield Sign("lock", lock.path, holder.pid, holder.sentence)


def _beacons(paths: Sequence[str]) -> Iterator[Sign]:
    import json

    for path in paths:
        try:
            fd = open_regular(path)
        except CannotRead:
            continue
        try:
            value = json.loads(os.pread(fd, BEACON, 0))
            since = os.fstat(fd).st_mtime
        except (OSError, ValueError, RecursionError):
            continue
        finally:
            os.close(fd)
        pid = value.get("pid") if isinstance(value, dict) else None
        if isinstance(pid, int) and not isinstance(pid, bool) and processes.running(pid, since):
            yield Sign("beacon", path, pid, f"{path} says that the agent runs as {processes.named(pid)}.")


def _recent(paths: Sequence[str], idle: float, left: Mapping[str, Version], now: float) -> Iterator[Sign]:
    for path in paths:
        status = _status(path)
        if status is None or (path in left and left[path].stands(status)):
            continue
        ago = now - status.st_mtime
        if -idle < ago < idle:  # a time far in the future tells of a wrong clock, not of life
            when = f"{max(0, round(ago))} seconds ago"
            yield Sign("recent", path, None, f"{path} was changed {when}, less than the {idle:g} to wait.")


def _for_writing(pid: int, fd: int) -> bool:
    try:
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as file:
            for line in file:
                if line.startswith("flags:"):
                    return int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError):
        pass
    return False


def _numbers(folder: str) -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir(folder) if name.isdigit()]
    except OSError:
        return ()


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
