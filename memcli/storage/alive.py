"""Signs that an agent is at work on a file; read-only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memcli.storage import descriptors, processes
from memcli.storage.holders import Lock, probe
from memcli.storage.versions import Version


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
    """Open descriptors for writing, of every process that may be looked into (root: all)."""
    seen = set()
    for one in descriptors.opened(descriptors.statuses(paths)):
        if one.writing and one.pid not in seen:
            seen.add(one.pid)
            sentence = f"{processes.named(one.pid)} has {one.path} open for writing."
            yield Sign("open", one.path, one.pid, sentence)


def _locked(locks: Sequence[Lock]) -> Iterator[Sign]:
    for lock in locks:
        holder = probe(lock)
        if holder is not None and holder.alive is not False and holder.pid != os.getpid():
            yield Sign("lock", lock.path, holder.pid, holder.sentence)


def _beacons(paths: Sequence[str]) -> Iterator[Sign]:
    for path in paths:
        holder = probe(Lock("beacon", path))
        if holder is not None and holder.alive is not False:
            yield Sign("beacon", path, holder.pid, holder.sentence)


def _recent(paths: Sequence[str], idle: float, left: Mapping[str, Version], now: float) -> Iterator[Sign]:
    for path in paths:
        status = _status(path)
        if status is None or (path in left and left[path].stands(status)):
            continue
        ago = now - status.st_mtime
        if -idle < ago < idle:  # a time far in the future tells of a wrong clock, not of life
            when = f"{max(0, round(ago))} seconds ago"
            yield Sign("recent", path, None, f"{path} was changed {when}, less than the {idle:g} to wait.")


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
