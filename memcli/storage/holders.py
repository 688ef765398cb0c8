"""Who holds a lock of an agent's protocol; read-only."""

from __future__ import annotations

import os
import stat
import time
from typing import Literal, NamedTuple

from memcli.errors import CannotRead
from memcli.storage import descriptors, elsewhere, kernel_locks, processes
from memcli.storage.reading import open_regular, unreadable

READ = 1 << 16
"""Bytes of a lock file or beacon that are read."""
DIGITS = 20
"""Longer numbers are no pids."""
BACKGROUND = ("fsmonitor--daemon", "credential-cache--daemon", "daemon", "http-backend")
"""Commands of git that run on and lock nothing."""
Kind = Literal["flock", "exclusive-file", "beacon", "git"]


class Lock(NamedTuple):
    """One lock of an agent's protocol, given by a facet of its format.

    "flock": flock(2) on the file at `path`, which stays. "exclusive-file": the file at `path` exists while the lock
    is held, with the holder's pid inside, as a number or as {"pid": N, "starttime": ticks}. "git": the same with something
    else inside. "beacon": no lock, but a file in which a running agent names its process, as {"pid": N}.
    """

    kind: Kind
    path: str


class Holder(NamedTuple):
    """Who holds a lock. `alive` is None when that cannot be known; `sentence` says it for the user. `since` is when it was
    taken at the earliest that is known: the time of the lock file, or the start of the process that holds the flock.
    `waiting` are the pids that the kernel keeps waiting for it."""

    lock: Lock
    pid: int | None
    alive: bool | None
    sentence: str
    since: float | None = None
    waiting: tuple[int, ...] = ()


def probe(lock: Lock) -> Holder | None:
    """Who holds `lock` now, None when it is free. Creates nothing; a flock that is free is taken, shared, for a
    moment.

    A pid is somebody else's when its process is younger than the lock file, or the system is. A file whose owner does not
    run here is not called left behind where another machine or a container's surroundings may use it: `alive` is None.
    """
    if lock.kind == "flock":
        return _flock_holder(lock)
    if lock.kind == "beacon":
        return _beacon_holder(lock)
    return _file_holder(lock)


def _flock_holder(lock: Lock) -> Holder | None:
    import fcntl

    try:
        fd = open_regular(lock.path)
    except CannotRead as error:
        try:
            status = os.stat(lock.path)
        except OSError:
            return None
        holder = _blocking(lock, status)
        sentence = f"{lock.path} cannot be looked at: {error.facts['why']}."
        return holder if holder.alive else holder._replace(sentence=sentence)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _blocking(lock, os.fstat(fd))
    except OSError:
        return None  # a file system without flock: nobody can hold it
    finally:
        os.close(fd)
    return None


def _blocking(lock: Lock, status: os.stat_result) -> Holder:
    """Who keeps us from taking a flock."""
    held = [one for _, one in kernel_locks.on({lock.path: status}) if one.kind == "flock"]
    waiting = tuple(pid for one in held for pid in one.waiting)
    pid = next((one.pid for one in held if one.pid > 0), None)
    if pid is None:
        reason = elsewhere.shared(lock.path) or "it cannot be seen from here"
        return Holder(lock, None, None, f"{lock.path} is locked by another process: {reason}.", None, waiting)
    sentence = f"{lock.path} is locked by {processes.named(pid)}."
    return Holder(lock, pid, True, sentence, processes.started(pid), waiting)


def _beacon_holder(lock: Lock) -> Holder | None:
    """None also for what names no process."""
    try:
        since = os.stat(lock.path).st_mtime
        text = _beginning(lock.path)
    except (OSError, CannotRead):
        return None
    pid, ticks = _named(text) if text.startswith(b"{") else (None, None)
    if pid is None:
        return None
    alive, clause = _owner(lock.path, pid, since, ticks)
    runs = f"{lock.path} says that the agent runs as {processes.named(pid) if alive else f'process {pid}'}"
    return Holder(lock, pid, alive, f"{runs}." if alive else f"{runs}, {clause}.", since)


def _file_holder(lock: Lock) -> Holder | None:
    try:
        status = os.lstat(lock.path)
    except OSError:
        return None
    since = status.st_mtime
    if stat.S_ISLNK(status.st_mode):
        return Holder(lock, None, None, f"{lock.path} is a symlink, which no agent makes of it.", since)
    if lock.kind == "git":
        return _git_holder(lock, status)
    try:
        text = _beginning(lock.path)
    except CannotRead as error:
        return Holder(lock, None, None, f"{lock.path} is there: {error.facts['why']}.", since)
    pid, ticks = _named(text)
    if pid is None:
        if processes.before_boot(since) and not elsewhere.shared(lock.path):
            sentence = f"{lock.path} was left by a process that ended with the last shutdown, {_when(since)}."
            return Holder(lock, None, False, sentence, since)
        return Holder(lock, None, None, f"{lock.path} is there and does not say who holds it.", since)
    alive, clause = _owner(lock.path, pid, since, ticks)
    if alive:
        return Holder(lock, pid, True, f"{lock.path} is held by {processes.named(pid)}.", since)
    made = "was left" if alive is False else "was made"
    return Holder(lock, pid, alive, f"{lock.path} {made} by process {pid}, {clause}.", since)


def _beginning(path: str) -> bytes:
    fd = open_regular(path)
    try:
        return os.pread(fd, READ, 0).strip()
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(fd)


def _named(text: bytes) -> tuple[int | None, int | None]:
    """The pid that a lock file or beacon names, and when that process was started as the kernel counts, where they do."""
    import json

    if text.isdigit() and len(text) < DIGITS:
        return int(text), None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, None
    members = value if isinstance(value, dict) else {}
    pid, ticks = (members.get(name) for name in ("pid", "starttime"))
    if not isinstance(pid, int) or isinstance(pid, bool):
        return None, None
    return pid, ticks if isinstance(ticks, int) and not isinstance(ticks, bool) else None


def _owner(path: str, pid: int, since: float, ticks: int | None) -> tuple[bool | None, str]:
    """Whether the process that named itself `pid` in a file of the time `since` is alive, and why not as a clause."""
    reason = elsewhere.shared(path)
    if reason:
        return None, f"and whether that is alive cannot be known: {reason}"
    alive = processes.owner(pid, since, ticks)
    if alive:
        return True, ""
    if processes.before_boot(since):
        return False, f"which ended with the last shutdown, {_when(since)}"
    reason = elsewhere.unseen(path, pid, since)
    if alive is None:
        return None, "and whether the process that has this number is the same one cannot be known"
    gone = "which does not run here any more"
    if processes.running(pid):
        gone = f"which does not run here any more; {processes.program(pid) or 'what'} has that number since later"
    return (None, f"{gone}, but {reason}") if reason else (False, gone)


def _git_holder(lock: Lock, status: os.stat_result) -> Holder:
    """git names nobody in its locks. It has them open, or closes them while an editor or a hook runs."""
    path, since = lock.path, status.st_mtime
    user = next(descriptors.opened({path: status}), None)
    if user is not None:
        return Holder(lock, user.pid, True, f"{path} is held by {processes.named(user.pid)}.", since)
    reason = elsewhere.shared(path)
    if not reason and processes.before_boot(since):
        sentence = f"{path} was left by a git that ended with the last shutdown, {_when(since)}."
        return Holder(lock, None, False, sentence, since)
    reason = reason or elsewhere.unseen(path, None, since) or _git_at_work(status)
    if reason:
        return Holder(lock, None, None, f"{path} is there, and whose it is cannot be known: {reason}.", since)
    sentence = f"{path} was left by a git that does not run any more: no process has it open, and no git is as old."
    return Holder(lock, None, False, sentence, since)


def _git_at_work(status: os.stat_result) -> str:
    """Why a git may hold a lock file that nobody has open, as a clause; "" when none can."""
    if os.geteuid() not in (0, status.st_uid):
        return "it belongs to another user, whose processes cannot be looked into"
    for pid in processes.pids():
        runs_on = any(word in processes.command(pid)[1:3] for word in BACKGROUND)
        if processes.program(pid).startswith("git") and not runs_on and processes.running(pid, status.st_mtime):
            return f"{processes.named(pid)} runs and is older"
    return ""


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
