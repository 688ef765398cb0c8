"""Who holds what in a workspace: the agents' locks, their beacons, git's locks, memcli's own, and whoever has files open."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memcli import times
from memcli.core import holding, listing, sealing, surroundings
from memcli.errors import RefusedForSafety
from memcli.formats import load
from memcli.model import Workspace
from memcli.storage import descriptors, kernel_locks, processes
from memcli.storage.holders import Holder, Lock
from memcli.storage.processes import Process

OWN = "memcli"
"""The agent of a lock that is memcli's."""
CLEARED = ("exclusive-file", "git")
"""Locks that are files, which stay when their owner dies. Beacons keep nobody out, and the kernel frees the others."""
SEVERAL = 2
"""From so many that wait on it is a storm."""
LONG = 30.0
"""Seconds for which a lock is held before one that waits makes it a storm."""


class Row(NamedTuple):
    """One lock, or one process that has a file open to write. `kind` is that of a Lock, a KernelLock, or "open".

    `state`: "alive", "stale" (its owner is gone), "unknown", or "free". `since` is when it was taken at the earliest that is
    known, `changed` the time of the file. `waiting` has an entry for each process or thread that the kernel keeps waiting.
    `path` is what the user is told.
    """

    path: str
    kind: str
    agent: str
    state: str
    holder: Process | None
    since: float | None
    changed: float | None
    waiting: tuple[Process, ...]
    message: str
    workspace: Workspace
    lock: Lock | None = None

    @property
    def clear(self) -> bool:
        """Whether `locks clear` removes it."""
        return self.state == "stale" and self.kind in CLEARED

    @property
    def below(self) -> str:
        """The path below the workspace, whole for what lies elsewhere."""
        root = (self.workspace.shown or self.workspace.root).rstrip(os.sep) + os.sep
        return self.path.removeprefix(root)


class Storm(NamedTuple):
    """A lock that several wait for, or one for long: `longest` is since when the oldest of them runs, in seconds since 1970."""

    row: Row
    longest: float | None


def survey(workspaces: Sequence[Workspace]) -> list[Row]:
    """Everything that is held, and the locks that are free, each once."""
    found: dict[tuple[str, str, int | None], Row] = {}
    for workspace in workspaces:
        for row in (*locks(workspace), *_in_use(workspace)):
            found.setdefault((row.path, row.kind, row.holder.pid if row.holder else None), row)
    return list(found.values())


def locks(workspace: Workspace) -> list[Row]:
    """The locks and beacons of a workspace, and memcli's own for it."""
    rows = []
    for lock in (*holding.locks(workspace), *holding.beacons(workspace)):
        holder = holding.look(workspace, lock)
        if holder is not None or lock.kind == "flock":
            rows.append(_row(workspace, workspace.agent, lock, holder))
    own = _own(workspace)
    return [*rows, *([_row(workspace, OWN, own, holding.look(workspace, own))] if own else [])]


def storms(rows: Sequence[Row], now: float) -> list[Storm]:
    """The locks that several wait for, or that one waits for while another holds them for long."""
    found = []
    for row in rows:
        if len(row.waiting) >= SEVERAL or (row.waiting and row.since is not None and now - row.since >= LONG):
            starts = [one.started for one in row.waiting if one.started is not None]
            found.append(Storm(row, min(starts, default=None)))
    return found


def without_locks(workspaces: Sequence[Workspace]) -> list[str]:
    """The agents among these that take no locks at all."""
    return list(dict.fromkeys(one.agent for one in workspaces if load(one.agent).locks is None))


def unchecked() -> list[str]:
    """What cannot be seen from here, in sentences."""
    if not processes.pids():
        return ["who has files open, and since when processes run: this system does not tell"]
    closed = descriptors.closed_to_us()
    one = closed == 1
    told = f"which files {closed:,} process{'' if one else 'es'} of other users {'has' if one else 'have'} open"
    return [told] if closed else []


def as_json(row: Row) -> dict[str, Any]:
    """The documented JSON object of one lock."""
    return {
        "type": "lock",
        "path": row.path,
        "kind": row.kind,
        "agent": row.agent,
        "state": row.state,
        "pid": row.holder.pid if row.holder else None,
        "program": (row.holder.program or None) if row.holder else None,
        "started": _iso(row.holder.started if row.holder else None),
        "since": _iso(row.since),
        "changed": _iso(row.changed),
        "waiting": [one.pid for one in row.waiting],
        "clear": row.clear,
        "message": row.message,
    }


def storm_json(storm: Storm) -> dict[str, Any]:
    """The documented JSON object of one storm."""
    value = as_json(storm.row)
    kept = {name: value[name] for name in ("path", "pid", "program", "since", "waiting")}
    return {"type": "storm", **kept, "longest": _iso(storm.longest)}


def _row(workspace: Workspace, agent: str, lock: Lock, holder: Holder | None) -> Row:
    path = listing.shown(workspace, lock.path) if agent != OWN else lock.path
    changed = _changed(lock.path)
    if holder is None:
        return Row(path, lock.kind, agent, "free", None, None, changed, (), f"{path} is free.", workspace, lock)
    state = {True: "alive", False: "stale", None: "unknown"}[holder.alive]
    pid = holder.pid
    # what runs under the number of a process that is gone is somebody else
    seen = None if pid is None else processes.process(pid) if holder.alive else Process(pid, "", None)
    waiting = tuple(processes.process(one) for one in holder.waiting)
    message = holder.sentence.replace(lock.path, path)
    return Row(path, lock.kind, agent, state, seen, holder.since, changed, waiting, message, workspace, lock)


def _in_use(workspace: Workspace) -> Iterator[Row]:
    """The kernel's locks on sessions, journals, cursors and memory files, and whoever has one of them open to write."""
    if holding.is_copy(workspace):
        return
    places = surroundings.places(workspace, list(listing.paths(workspace)))
    files = descriptors.statuses(place.path for place in places)
    seen = set()
    for path, lock in kernel_locks.on(files):
        if lock.pid == os.getpid():
            continue
        holder = processes.process(lock.pid) if lock.pid > 0 else None
        seen.add((path, lock.pid))
        who = processes.named(lock.pid) if holder else "a process that cannot be seen from here"
        state = "alive" if holder else "unknown"
        since = holder.started if holder else None
        waiting = tuple(processes.process(pid) for pid in lock.waiting)
        message = f"{path} is locked by {who}."
        changed = files[path].st_mtime
        yield Row(path, lock.kind, workspace.agent, state, holder, since, changed, waiting, message, workspace)
    for one in descriptors.opened(files):
        if one.writing and (one.path, one.pid) not in seen:
            seen.add((one.path, one.pid))
            holder = processes.process(one.pid)
            message = f"{processes.named(one.pid)} has {one.path} open for writing."
            changed = files[one.path].st_mtime
            yield Row(
                one.path, "open", workspace.agent, "alive", holder, holder.started, changed, (), message, workspace
            )


def _own(workspace: Workspace) -> Lock | None:
    """memcli's own lock of a workspace, None before it was ever taken."""
    try:
        path = os.path.join(sealing.store(workspace).folder, "lock")
    except RefusedForSafety:  # the state folder is another user's: nothing there is ours
        return None
    return Lock("flock", path) if os.path.lexists(path) else None


def _changed(path: str) -> float | None:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else times.iso(seconds)
