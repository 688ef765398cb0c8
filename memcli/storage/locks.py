"""The agents' lock protocols, joined while memcli writes, and memcli's own lock for each workspace.

A lock that somebody else holds is waited for and then reported; it is never broken here, however stale it looks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import state, system
from memcli.storage.holders import Holder, Lock, probe
from memcli.storage.parts import part_name
from memcli.storage.reaching import refused
from memcli.storage.state import Store

STEP = 0.02
"""Seconds between two attempts to take a lock."""
__all__ = ["Holder", "Lock", "hold", "own", "probe", "release_left"]
NOTE = "lock-"
"""What the names of notes on lock files begin with, in the place `intents`."""


@contextmanager
def hold(locks: Sequence[Lock], *, store: Store, timeout: float = 10.0) -> Iterator[None]:
    """Hold all of `locks` (taken in the order of their paths), those left out whose folder does not exist.

    Raises RefusedForSafety, naming the holder, after `timeout` seconds, CannotWrite when the system refuses. `store`
    keeps a note of each lock file made, so that one left by a killed memcli is known as ours (`release_left`).
    """
    deadline = time.monotonic() + timeout
    with ExitStack() as held:
        for lock in sorted(set(locks), key=lambda one: one.path):
            if os.path.isdir(os.path.dirname(lock.path)):
                if lock.kind == "flock":
                    held.callback(os.close, _take_flock(lock, deadline))
                else:
                    held.callback(_take_file(lock, store, deadline))
        yield


@contextmanager
def own(store: Store, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold memcli's own lock of a workspace: two writing memclis do not meet. Raises RefusedForSafety."""
    state.place(store, "intents")
    path = os.path.join(store.folder, "lock")
    with state.telling(path), suppress(FileExistsError):
        os.close(state.new_file(path))
    fd = _take_flock(Lock("flock", path), time.monotonic() + timeout)
    try:
        yield
    finally:
        os.close(fd)


def release_left(store: Store) -> list[str]:
    """Remove the lock files that a killed memcli left, by its notes; the paths of those that were still there.

    The caller holds memcli's own lock, so whoever wrote the notes is gone.
    """
    folder = state.place(store, "intents")
    released = []
    for name in sorted(os.listdir(folder)):
        if name.startswith(NOTE):
            released += _release(os.path.join(folder, name))
    return released


def _take_flock(lock: Lock, deadline: float) -> int:
    """The descriptor that holds the lock until it is closed."""
    while True:
        try:
            fd = _try_flock(lock.path)
        except OSError as error:
            raise refused(lock.path, error) from error
        if fd is not None:
            return fd
        _wait(lock, deadline)


def _try_flock(path: str) -> int | None:
    import fcntl

    fd = system.open_lock(path, 0o600)
    taken = False
    try:
        system.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        taken = _is_at(fd, path)  # else it was removed meanwhile: whoever comes next locks another file
    except BlockingIOError:
        pass
    finally:
        if not taken:
            os.close(fd)
    return fd if taken else None


def _take_file(lock: Lock, store: Store, deadline: float) -> Callable[[], object]:
    """Make the lock file; what releases it."""
    import json

    folder, name = os.path.split(lock.path)
    token = os.urandom(8).hex()
    part = part_name(token)
    note = os.path.join(state.place(store, "intents"), f"{NOTE}{token}.json")
    text = str(os.getpid())
    try:
        with state.telling(note):
            about = {"path": lock.path, "part": os.path.join(folder, part), "pid": text}
            state.write_file(note, json.dumps(about).encode(), durable=False)
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fd = system.create(part, 0o644, at)
            try:
                system.write_all(fd, text.encode())
            finally:
                os.close(fd)
            _link_when_free(lock, part, name, at, deadline)
        finally:
            os.close(at)
    except OSError as error:
        _release(note)
        raise refused(lock.path, error) from error
    except BaseException:
        _release(note)
        raise
    return partial(_release, note)


def _link_when_free(lock: Lock, part: str, name: str, folder: int, deadline: float) -> None:
    """The lock file appears with the pid in it: a reader never meets an empty one."""
    while True:
        try:
            system.link(part, name, folder)
            return
        except FileExistsError:
            _wait(lock, deadline)
        except OSError as error:
            if error.errno in system.NO_LINK:
                raise CannotWrite(
                    f"{lock.path} cannot be made as the agent's lock: its file system has no hard links. "
                    "Nothing was changed.",
                    path=lock.path,
                ) from error
            raise


def _release(note: str) -> list[str]:
    """Remove the lock file and its part that a note speaks of, if they are one file, and the note; the lock file's
    path if it was there. A note stays when that fails: the next memcli tries again."""
    import json

    released = []
    try:
        try:
            with open(note, "rb") as file:
                about = json.load(file)
            path, part = str(about["path"]), str(about["part"])
        except (ValueError, KeyError, TypeError):  # cut off: the lock file is made after the note
            system.unlink(note)
            return []
        mine = _identity(part)
        if mine is not None:
            if _identity(path) == mine:
                system.unlink(path)
                released.append(path)
            system.unlink(part)
        system.unlink(note)
    except OSError:
        pass
    return released


def _wait(lock: Lock, deadline: float) -> None:
    if time.monotonic() < deadline:
        time.sleep(STEP)
        return
    holder = probe(lock)
    who = holder.sentence if holder else f"{lock.path} was locked all the time."
    left = holder is not None and holder.alive is False
    what = "'memcli locks clear' removes it" if left else "try again later"
    raise RefusedForSafety(f"{who} Nothing was changed; {what}.", path=lock.path, why="locked")


def _is_at(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
