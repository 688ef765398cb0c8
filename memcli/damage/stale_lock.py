"""Locks whose owner is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.damage.framework import Class, WorkspaceSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "stale-lock",
        "a lock whose owner is gone",
        "warning",
        "report",
        looks="A lock file names a process that does not run, or one that was started later, or is older than the last start "
        "of the system; or git's lock is there, and no git.",
        does="Nothing; 'memcli locks clear' removes it, and 'memcli undo' brings it back.",
    ),
    Class(
        "memory-index-lock",
        "git's lock in the memory's repository, left behind",
        "warning",
        "report",
        looks="A lock file of git stands in the repository that memory is kept in, and no git is at work there.",
        does="Nothing; 'memcli locks clear' removes it, and 'memcli undo' brings it back.",
        lost="The versions that the agent would have committed meanwhile.",
    ),
)
STALE, GIT = CLASSES
OLD = 3600.0
"""Seconds after which a lock that names nobody is told of."""


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """A finding for each lock whose owner is gone, and for old ones that name no owner."""
    for holder in snapshot.locks:
        path = holder.lock.path
        kind = GIT if holder.lock.kind == "git" else STALE
        said = holder.sentence.replace(path, os.path.basename(path))
        if holder.alive is False:
            message = f"{said} To remove it: memcli locks clear"
            yield kind.finding(path, message, data={"pid": holder.pid})
        elif holder.alive is None and holder.since is not None and snapshot.now - holder.since > OLD:
            hours = int((snapshot.now - holder.since) // 3600)
            message = f"{said} It is {hours:,} hours old."
            yield kind.finding(path, message, severity="info", data={"pid": None})


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed: locks have a command of their own."""
    return []
