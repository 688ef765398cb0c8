"""Carrying out what repair planned: as one operation for each workspace, with the old bytes kept, and looked at again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import listing, sealing
from memcli.core.blueprint import Blueprint
from memcli.core.changing import KEPT, Change, taken_out, units
from memcli.core.examining import Examination
from memcli.core.items import Counts
from memcli.core.wishes import Wishes
from memcli.errors import CannotRead, MemcliError
from memcli.formats import load
from memcli.model import Outcome, Workspace
from memcli.storage import alive, undo
from memcli.storage.holders import Lock
from memcli.storage.parts import Mtime
from memcli.storage.reaching import Folders
from memcli.storage.undo import Operation, Record
from memcli.storage.versions import read_version


class Applied(NamedTuple):
    """What became of one workspace's plan: `id` of the operation ("" when nothing was changed), the outcome of each file,
    sentences on what was refused, and on what was taken back."""

    workspace: Workspace
    id: str
    outcomes: list[Outcome]
    refused: list[str]
    taken_back: str = ""


def apply(
    blueprint: Blueprint,
    *,
    wishes: Wishes,
    command: Sequence[str],
    idle: float,
    force_live: bool = False,
    tz: str = "",
) -> Applied:
    """Carry out the plan for one workspace: all changes that can be made, as one operation.

    Files on which an agent seems to be at work, or that must not be replaced, are left out and told of. Afterwards every
    changed file is judged again, and all is taken back when anything got worse. Raises RefusedForSafety when a file
    changed meanwhile, CannotWrite when the system refuses; then nothing is changed.
    """
    workspace = blueprint.workspace
    store = sealing.store(workspace)
    chosen: list[Change] = []
    refused = list(blueprint.busy)
    for unit in units(blueprint):
        why = _refusal(workspace, unit, idle, force_live)
        refused += why
        chosen += [] if why else unit
    if not chosen:
        return Applied(workspace, "", [], refused)
    paths = [change.path for change in chosen]
    with undo.begin(
        store,
        "repair",
        command=command,
        agent=workspace.agent,
        locks=_locks(workspace, paths),
        beacons=_beacons(workspace),
    ) as operation:
        for change in chosen:
            _enter(operation, change, _root(workspace, change.path))
        record = operation.commit()
    if not record.changes:
        return Applied(workspace, "", [], refused)
    worse = _worse(blueprint, record, wishes, tz)
    if worse:
        undo.undo(store, record.id, command=command)
        return Applied(workspace, "", [], refused, worse)
    return Applied(workspace, record.id, _outcomes(blueprint, record, chosen), refused)


def _refusal(workspace: Workspace, unit: Sequence[Change], idle: float, force_live: bool) -> list[str]:
    """Why a unit must be left alone, in sentences."""
    paths = [change.path for change in unit]
    found: list[str] = []
    with Folders() as folders:
        for change in unit:
            try:
                place = folders.place(change.path, _root(workspace, change.path))
                if change.expected is not None:
                    os.close(place.open_to_change())
            except MemcliError as error:
                found.append(error.sentence)
    if not found and not force_live:
        left = undo.left(sealing.store(workspace), paths)
        locks = _locks(workspace, paths)
        signs = alive.signs(paths, idle=idle, locks=locks, beacons=_beacons(workspace), left=left)
        found += dict.fromkeys(sign.sentence for sign in signs)
        if found:
            found.append(f"{', '.join(paths)} left as it was; try again later, or with --force-live.")
    return found


def _enter(operation: Operation, change: Change, root: str) -> None:
    if change.expected is None:
        assert change.content is not None
        mtime: Mtime = "now" if change.mtime == KEPT else change.mtime
        mode = 0o600 if change.mode is None else change.mode
        operation.create(change.path, change.content(), root=root, mtime=mtime, mode=mode)
        return
    for offset, piece, code in taken_out(change):
        operation.set_aside(change.path, offset, piece, code)
    if change.chmod:
        assert change.mode is not None
        operation.chmod(change.path, change.expected, change.mode, root=root)
    elif change.content is None:
        operation.remove(change.path, change.expected, root=root)
    else:
        operation.rewrite(
            change.path, change.expected, change.content(), root=root, mtime=change.mtime, mode=change.mode
        )


def _worse(blueprint: Blueprint, record: Record, wishes: Wishes, tz: str) -> str:
    """Why what was written must be taken back, "" when it is as it was planned."""
    renamed = {action.detail: action.path for action in blueprint.actions if action.kind == "rename"}
    for change in record.changes:
        known = blueprint.left.get(renamed.get(change.path, change.path))
        if known is None or change.new is None or change.kind == "chmod":
            continue
        target, codes = known
        try:
            if not read_version(change.path).same(change.new):
                continue  # somebody wrote it since: it is theirs now
            examination = Examination(target._replace(path=change.path), options=wishes.flags, tz=tz, limit=None)
            found = Counter(hit.finding.code for hit in examination.hits() if hit.finding.severity != "info")
        except CannotRead as error:
            return error.sentence
        more = found - Counter(codes)
        if more and change.path not in renamed:
            return f"{change.path} showed {', '.join(more)} after it was written."
    return ""


def _outcomes(blueprint: Blueprint, record: Record, chosen: Sequence[Change]) -> list[Outcome]:
    """What became of each file; rows that go to another name with their file are counted there."""
    by_path = {os.path.realpath(change.path): change for change in chosen}
    renamed = {action.detail: action.path for action in blueprint.actions if action.kind == "rename"}
    found = []
    for one in record.changes:
        change = by_path[one.path]
        counts = blueprint.counts.get(renamed.get(change.path, change.path), Counts())
        if one.new is None:
            gone = 0 if change.path in renamed.values() else counts.kept + counts.mended
            counts = Counts(0, 0, gone)
        removed = sum(length for _, length, _ in change.aside)
        shown = listing.shown(blueprint.workspace, change.path)
        found.append(Outcome(record.id, shown, counts.kept, counts.mended, counts.quarantined, removed))
    return found


def _root(workspace: Workspace, path: str) -> str:
    """The folder of the workspace that a file must lie in."""
    real = os.path.dirname(os.path.realpath(path))
    roots = {os.path.realpath(root) for root in (workspace.root, *workspace.sessions, *workspace.memory)}
    fitting = [root for root in roots if real == root or real.startswith(root.rstrip(os.sep) + os.sep)]
    return max(fitting, key=len, default=os.path.realpath(workspace.root))


def _locks(workspace: Workspace, paths: Sequence[str]) -> list[Lock]:
    """The agent's locks that guard these files: one on their folder, or one beside the file."""
    form = load(workspace.agent)
    folders = {os.path.dirname(path) for path in paths}
    found = form.locks.locks(workspace) if form.locks else []
    return [
        lock
        for lock in found
        if (os.path.dirname(lock.path) in folders if lock.kind == "flock" else lock.path.removesuffix(".lock") in paths)
    ]


def _beacons(workspace: Workspace) -> list[str]:
    form = load(workspace.agent)
    return form.locks.beacons(workspace) if form.locks else []
