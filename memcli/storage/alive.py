"""Signs that an agent is at work on a file; read-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memcli.storage.atomic import Version
from memcli.storage.locks import Lock


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
    names its pid as {"pid": N}; they need not exist.
    """
    raise NotImplementedError
