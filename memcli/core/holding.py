"""The locks of a workspace, and who holds them: the agent's own, and git's where memory is kept under git."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import bundle_manifest, listing
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import Workspace
from memcli.storage.holders import Holder, Lock, probe
from memcli.storage.reading import open_regular

GIT = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")
"""What git locks in the folder of a repository, branches left out."""


def locks(workspace: Workspace) -> list[Lock]:
    """Every lock of the workspace, held or not."""
    form = load(workspace.agent)
    found = form.locks.locks(workspace) if form.locks else []
    for folder in dict.fromkeys((workspace.root, *workspace.memory)):
        found += [Lock("git", path) for path in _git_locks(folder)]
    return found


def beacons(workspace: Workspace) -> list[Lock]:
    """The files in which a running agent names its process; they keep nobody out."""
    form = load(workspace.agent)
    return [Lock("beacon", path) for path in (form.locks.beacons(workspace) if form.locks else [])]


def held(workspace: Workspace) -> list[Holder]:
    """Who holds each lock that is held, or was left behind."""
    return [holder for lock in locks(workspace) if (holder := look(workspace, lock)) is not None]


def look(workspace: Workspace, lock: Lock) -> Holder | None:
    """Who holds a lock of the workspace, None when it is free. In an archive that somebody sent nothing is told of who held
    it: their processes are not ours."""
    holder = probe(lock)
    if holder is None or not is_copy(workspace):
        return holder
    alive = bundle_manifest.is_held(workspace, lock.path) if workspace.bundled else None
    sentence = f"{lock.path} is a copy, and who held it cannot be known."
    if alive is not None:
        sentence = f"{lock.path} is a copy; whoever held it {'was at work' if alive else 'was gone'}."
    return Holder(lock, None, alive, sentence, holder.since)


def is_copy(workspace: Workspace) -> bool:
    """Whether a workspace was unpacked from an archive or a stream."""
    place = next(iter(workspace.files), workspace.root)
    return listing.shown(workspace, place) != place


def _git_locks(folder: str) -> Iterator[str]:
    """The lock files that there are in the repository of a folder."""
    place = _repository(os.path.join(folder, ".git"))
    heads = os.path.join(place, "refs", "heads")
    for path in (*(os.path.join(place, name) for name in GIT), *_locked_branches(heads)):
        if place and os.path.lexists(path):
            yield path


def _repository(path: str) -> str:
    """Where a repository is: at `path`, or where the file at `path` says (gitrepository-layout(5)); "" when there is none."""
    if os.path.isdir(path):
        return path
    try:
        fd = open_regular(path)
    except CannotRead:
        return ""
    try:
        word, _, place = os.fsdecode(os.pread(fd, 8192, 0)).partition("\n")[0].partition(": ")
    finally:
        os.close(fd)
    return os.path.normpath(os.path.join(os.path.dirname(path), place)) if word == "gitdir" and place else ""


def _locked_branches(folder: str) -> list[str]:
    try:
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".lock"))
    except OSError:
        return []
