"""Repositories of memory files that have grown so large that every look into them is slow."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from memcli.core.checks.framework import Case, Check
from memcli.errors import CannotRead
from memcli.storage import git

CHECK = "repository"
LOOKED = "the size of repositories"
CODES: tuple[str, ...] = ()
KINDS: tuple[str, ...] = ()
LARGE = 500 << 20
"""From so many bytes on a repository is large."""
LOOSE = 6700
"""git itself packs from so many loose objects on (gc.auto)."""
GC = ("-c", "gc.reflogExpire=never", "-c", "gc.reflogExpireUnreachable=never", "gc", "--no-prune")
"""Packing that forgets nothing: commits that only the reflog knows may hold memory that somebody wants back."""


class Weight(NamedTuple):
    """What the objects of a repository take."""

    bytes: int
    loose: int
    packs: int


def look(case: Case) -> Iterator[Check]:
    """A line for each repository that is too large."""
    for one in case.snapshot.versions:
        place = os.path.join(one.folder, git.NAME)
        weight = weigh(place)
        if weight.bytes < LARGE and weight.loose < LOOSE:
            continue
        told = [
            f"{place} has {weight.bytes:,} bytes of objects, {weight.loose:,} loose objects, {weight.packs:,} packs."
        ]
        try:
            told.append(f"{git.commits(one.folder):,} commits lead to the present one.")
        except CannotRead as error:
            told.append(error.sentence)
        message = f"the repository of {case.name(one.folder)} is large: git log, and all that asks it, becomes slow"
        command = shlex.join(["git", "-C", one.folder, *GC])
        yield Check(
            CHECK, "warning", f"{message}; pack it while the agent is not at work", weight.loose, command, tuple(told)
        )


def weigh(place: str) -> Weight:
    """The objects in the folder of a repository, as far as they can be listed."""
    objects = os.path.join(place, "objects")
    loose = size = packs = 0
    for name in _names(objects):
        folder = os.path.join(objects, name)
        if len(name) == 2:
            sizes = [_size(os.path.join(folder, one)) for one in _names(folder)]
            loose += len(sizes)
            size += sum(sizes)
        elif name == "pack":
            packs = sum(one.endswith(".pack") for one in _names(folder))
            size += sum(_size(os.path.join(folder, one)) for one in _names(folder))
    return Weight(size, loose, packs)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
