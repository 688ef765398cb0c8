"""Carrying a revert out: files, Dream's position and a new commit together, never by a reset or a checkout."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, inbox, positions, sealing
from memcli.core.provenance import OPERATION
from memcli.core.revert_plan import SHORT, Change, Plan, Wish, plan
from memcli.core.revert_target import RESTORES, REVERTS
from memcli.core.revisions import Repository
from memcli.core.rewinding import CURSOR
from memcli.errors import CannotWrite, RefusedForSafety
from memcli.formats import longterm
from memcli.storage import git_writing, undo
from memcli.storage.git_keep import LOCK
from memcli.storage.records import Committed, Record
from memcli.storage.undo import Operation

RESTORED = "memcli revert: back to {id}"
WAIT, STEP = 2.0, 0.05
"""Seconds for which a lock of git is waited for, and between two looks at it."""
TRIES = 4
"""So often the files are looked at anew when somebody wrote one meanwhile."""


class Reverted(NamedTuple):
    """What was done: the plan that was carried out, the operation, and why nothing was done, in sentences."""

    plan: Plan
    record: Record | None
    refused: tuple[str, ...] = ()

    @property
    def commit(self) -> Committed | None:
        """The commit that was made, or why there is none."""
        return next(iter(self.record.commits), None) if self.record else None


def carry_out(
    wish: Wish, repositories: Sequence[Repository], made: Plan, *, command: Sequence[str], idle: float, force_live: bool
) -> Reverted:
    """Carry out a plan without clashes; where somebody wrote or committed since, a new one for the same wish. Raises CannotWrite
    where the repository takes no commit, what `plan` does, and RefusedForSafety; then nothing is changed."""
    for attempt in range(TRIES):
        try:
            return _carry_out(made, command, idle, force_live)
        except RefusedForSafety as error:
            if error.facts.get("why") != "changed" or attempt == TRIES - 1:
                raise
        id = made.target.commit.id
        made = plan(wish._replace(to=id) if made.restores else wish._replace(commit=id), repositories)
        if made.clashes:
            break
    return Reverted(made, None)


def _carry_out(made: Plan, command: Sequence[str], idle: float, force_live: bool) -> Reverted:
    workspace = made.repository.workspace
    _check(made)
    changed = [one for one in made.changes if one.new != one.old]
    paths = [one.file.path for one in changed]
    fresh = [one.file.path for one in changed if one.version is None]
    if made.rewind is not None and made.rewind.moves and not made.rewind.state.own:
        position = made.rewind.state.position.path
        paths.append(position)
        fresh += [] if os.path.lexists(position) else [position]
    refused = guarding.refusal(workspace, paths, idle, force_live, fresh=fresh) if paths else []
    if refused:
        return Reverted(made, None, tuple(refused))
    with undo.begin(
        sealing.store(workspace),
        "revert",
        command=command,
        agent=workspace.agent,
        locks=guarding.locks_of(workspace, paths),
        beacons=guarding.beacons_of(workspace),
    ) as operation:
        for one in changed:
            _enter(operation, one, guarding.root_of(workspace, one.file.path))
        if made.rewind is not None and made.rewind.moves:
            positions.enter(operation, made.rewind.state, made.rewind.number)
        if not made.restores:  # what was proposed is open again
            inbox.reopen(operation, sealing.store(workspace), made.target.commit.trailers.get(OPERATION, ()))
        _version(operation, made)
        return Reverted(made, operation.commit())


def _enter(operation: Operation, change: Change, root: str) -> None:
    path = change.file.path
    if change.version is None:
        assert change.new is not None
        operation.create(path, change.new, root=root, mode=0o644)
    elif change.new is None:
        operation.remove(path, change.version, root=root)
    else:
        operation.rewrite(path, change.version, change.new, root=root)


def _version(operation: Operation, made: Plan) -> None:
    hand = {one.file.name: one.old for one in made.by_hand}
    contents = {one.file.name: one.kept for one in made.changes if one.kept != one.held or one.file.name in hand}
    if made.rewind is not None and made.rewind.moves and made.rewind.name:
        contents[made.rewind.name] = made.rewind.data
    operation.version(made.keep, contents, message(made, operation.id), seconds=time.time(), hand=hand, onto=made.last)


def message(made: Plan, operation: str) -> str:
    """The message of the commit: the format's first line, and trailers."""
    commit = made.target.commit
    if made.restores:
        subject, trailers = RESTORED, [f"{RESTORES}: {commit.id}"]
    else:
        subject, trailers = longterm(made.repository.workspace.agent).UNDONE, [f"{REVERTS}: {commit.id}"]
    trailers.append(f"{OPERATION}: {operation}")
    if made.rewind is not None and made.rewind.moves:
        trailers.append(f"{CURSOR}: {made.rewind.trailer}")
    about = [] if made.restores or not commit.subject else [" ".join(commit.subject.split()), ""]
    return "\n".join([subject.format(id=commit.id[:SHORT]), "", *about, *trailers]) + "\n"


def _check(made: Plan) -> None:
    """Raise CannotWrite where nothing can be committed."""
    one = made.repository
    if not one.own:
        raise CannotWrite(
            f"The memory lies in the repository {one.shown}, which is not the agent's own: memcli commits nothing there, and "
            "nothing was changed. 'memcli diff COMMIT^ COMMIT' shows what to take back by hand.",
            path=one.folder,
            why="it is somebody else's repository",
        )
    names = [change.file.name for change in made.changes]
    deadline = time.monotonic() + WAIT
    while LOCK in (why := git_writing.refusal(made.keep, names)) and time.monotonic() < deadline:
        time.sleep(STEP)  # a Dream that commits at this moment is done in one
    if why:
        raise CannotWrite(
            f"Nothing can be committed in {one.shown}: {why}. Nothing was changed.", path=one.folder, why=why
        )
