"""Undoing operations: which one is meant, and whether an agent is at work on its files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import stores
from memcli.errors import NothingToUndo, RefusedForSafety, UsageError
from memcli.storage import alive, state, undo, unfinished
from memcli.storage.locks import own
from memcli.storage.state import Store
from memcli.storage.undo import Record

IDLE = 10.0
"""Seconds without a change after which a file is taken to be nobody's."""


class Operation(NamedTuple):
    """One operation and the store that it is kept in."""

    store: Store
    record: Record


def listed(workspaces: Sequence[str] | None, agent: str | None = None) -> list[Operation]:
    """The operations of the workspaces that the user means, newest first."""
    found = [Operation(store, record) for store in stores.named(workspaces, agent) for record in undo.listed(store)]
    return sorted(found, key=lambda one: (one.record.time, one.record.sequence), reverse=True)


def choose(operation: str | None, workspaces: Sequence[str] | None, agent: str | None = None) -> Operation:
    """The operation that is meant: by its id, in any workspace unless one is named, else the newest of the one workspace.

    One that was interrupted is finished or dropped first: it would be the newest. Raises NothingToUndo, UsageError for an
    unknown id and where several workspaces could be meant.
    """
    by_id_alone = operation is not None and not workspaces
    candidates = state.stores() if by_id_alone else stores.named(workspaces, agent)
    for store in () if by_id_alone else candidates:
        unfinished.finish(store)
    found: list[Operation] = []
    undone: list[NothingToUndo] = []
    for store in candidates:
        try:
            found.append(Operation(store, undo.wanted(store, operation)))
        except NothingToUndo as error:
            undone.append(error)
        except UsageError:
            pass  # the id is another store's
    if not found and operation is None:
        raise NothingToUndo("There is nothing to undo.")
    if not found and undone:
        raise undone[0]
    if not found:
        raise UsageError(f"There is no operation {operation}; 'memcli undo --list' shows those there are.")
    if len(found) > 1:
        places = ", ".join(one.store.root for one in found)
        raise UsageError(f"Operations of several workspaces could be undone ({places}); name one with -W, or its id.")
    return found[0]


def carry_out(chosen: Operation, *, command: Sequence[str], idle: float = IDLE, force_live: bool = False) -> Record:
    """Undo the operation; the record of doing so. Raises UsageError for one that is in git (undo.check), RefusedForSafety
    when an agent seems to be at work on a file, or when one is not what the operation left, and what undo.undo raises; then
    nothing is changed."""
    store, record = chosen
    undo.check(record, store.root)
    paths = [change.path for change in record.changes if not change.lasting and os.path.lexists(change.path)]
    if not force_live:
        left = undo.left(store, paths)
        signs = alive.signs(paths, idle=idle, locks=record.locks, beacons=record.beacons, left=left)
        if signs:
            sentences = " ".join(dict.fromkeys(sign.sentence for sign in signs))
            raise RefusedForSafety(
                f"{sentences} Nothing was changed; try again later, or with --force-live.", why="in use"
            )
    return undo.undo(store, record.id, command=command)


def prune(workspaces: Sequence[str] | None, agent: str | None, keep: int) -> list[Operation]:
    """Forget all but the newest `keep` operations of each workspace that the user means; what was forgotten."""
    found = []
    for store in stores.named(workspaces, agent):
        if os.path.isdir(store.folder):
            with own(store):
                found += [Operation(store, record) for record in undo.prune(store, keep=keep)]
    return found
