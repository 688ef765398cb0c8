"""The agents' lock protocols, joined while memcli writes, and memcli's own lock for each workspace.

A lock that somebody else holds is waited for and then reported; it is never broken here, however stale it looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from memcli.storage.state import Store


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
    """Who holds `lock` now, None when it is free. Takes nothing, creates nothing."""
    raise NotImplementedError


@contextmanager
def hold(locks: Sequence[Lock], *, store: Store, timeout: float = 10.0) -> Iterator[None]:
    """Hold all of `locks` (taken in the order of their paths). Raises RefusedForSafety, naming the holder, after
    `timeout` seconds. `store` keeps a note of lock files made, so that one left by a killed memcli is known as ours.
    """
    raise NotImplementedError
    yield


@contextmanager
def own(store: Store, *, timeout: float = 10.0) -> Iterator[None]:
    """Hold memcli's own lock of a workspace: two writing memclis do not meet. Raises RefusedForSafety."""
    raise NotImplementedError
    yield
