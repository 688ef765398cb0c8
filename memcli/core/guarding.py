"""Whether files of a workspace may be written to right now, and what must be held while they are."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli import settings
from memcli.core import sealing
from memcli.errors import MemcliError, UsageError
from memcli.formats import load
from memcli.model import Workspace
from memcli.storage import alive, undo
from memcli.storage.holders import Lock
from memcli.storage.reaching import Folders

IDLE, CRON_IDLE = 10.0, 120.0
"""Seconds without a change after which a file is taken to be nobody's: by hand, and from cron."""


def refusal(
    workspace: Workspace, paths: Sequence[str], idle: float, force_live: bool, *, fresh: Sequence[str] = ()
) -> list[str]:
    """Why files that are changed together must be left alone, in sentences; [] when they need not be.

    Files must lie where they may be replaced, and no agent may seem to be at work on them: `idle` is how many seconds
    they must be unchanged, `force_live` asks for no signs of life. `fresh` are those of `paths` that do not exist yet.
    """
    found: list[str] = []
    with Folders() as folders:
        for path in paths:
            try:
                place = folders.place(path, root_of(workspace, path))
                if path not in fresh:
                    os.close(place.open_to_change())
            except MemcliError as error:
                found.append(error.sentence)
    if not found and not force_live:
        left = undo.left(sealing.store(workspace), paths)
        locks = locks_of(workspace, paths)
        signs = alive.signs(paths, idle=idle, locks=locks, beacons=beacons_of(workspace), left=left)
        found += dict.fromkeys(sign.sentence for sign in signs)
        if found:
            found.append(f"{', '.join(paths)} left as it was; try again later, or with --force-live.")
    return found


def reach(workspace: Workspace, paths: Sequence[str], *, fresh: Sequence[str] = ()) -> None:
    """Raise the error of the first of `paths` that does not lie where it may be replaced, whoever is at work; `fresh` as in
    `refusal`."""
    with Folders() as folders:
        for path in paths:
            place = folders.place(path, root_of(workspace, path))
            if path not in fresh:
                os.close(place.open_to_change())


def check_own(path: str) -> None:
    """Raise UsageError for a file in memcli's own state: what is kept there is what undo and quarantine need."""
    own = os.path.realpath(settings.state_folder()) + os.sep
    if os.path.realpath(path).startswith(own):
        raise UsageError(f"{path} is a copy that memcli itself keeps; it is not changed. --to FILE writes elsewhere.")


def root_of(workspace: Workspace, path: str) -> str:
    """The folder of the workspace that a file must lie in; its own, for one that was named and lies beside the workspace."""
    real = os.path.dirname(os.path.realpath(path))
    roots = {os.path.realpath(root) for root in (workspace.root, *workspace.sessions, *workspace.memory)}
    fitting = [root for root in roots if real == root or real.startswith(root.rstrip(os.sep) + os.sep)]
    beside = os.path.dirname(path) if path in workspace.files else workspace.root
    return max(fitting, key=len, default=os.path.realpath(beside))


def locks_of(workspace: Workspace, paths: Sequence[str]) -> list[Lock]:
    """The agent's locks that guard these files: one on their folder, or one beside the file."""
    form = load(workspace.agent)
    folders = {os.path.dirname(path) for path in paths}
    found = form.locks.locks(workspace) if form.locks else []
    return [
        lock
        for lock in found
        if (os.path.dirname(lock.path) in folders if lock.kind == "flock" else lock.path.removesuffix(".lock") in paths)
    ]


def beacons_of(workspace: Workspace) -> list[str]:
    """The files in which a running agent names its process."""
    form = load(workspace.agent)
    return form.locks.beacons(workspace) if form.locks else []
