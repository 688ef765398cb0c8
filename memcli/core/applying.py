"""Carrying out what repair planned: as one operation for each workspace, with the old bytes kept, and looked at again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, listing, sealing
from memcli.core.blueprint import Blueprint
from memcli.core.changing import KEPT, Change, taken_out, units
from memcli.core.examining import Examination
from memcli.core.items import Counts
from memcli.core.wishes import Wishes
from memcli.errors import CannotRead
from memcli.model import Outcome, Workspace
from memcli.storage import undo
from memcli.storage.parts import Mtime
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
        fresh = [change.path for change in unit if change.expected is None]
        why = guarding.refusal(workspace, [change.path for change in unit], idle, force_live, fresh=fresh)
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
        locks=guarding.locks_of(workspace, paths),
        beacons=guarding.beacons_of(workspace),
    ) as operation:
        for change in chosen:
            _enter(operation, change, guarding.root_of(workspace, change.path))
        record = operation.commit()
    if not record.changes:
        return Applied(workspace, "", [], refused)
    worse = _worse(blueprint, record, wishes, tz)
    if worse:
        undo.undo(store, record.id, command=command)
        return Applied(workspace, "", [], refused, worse)
    return Applied(workspace, record.id, _outcomes(blueprint, record, chosen), refused)


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
