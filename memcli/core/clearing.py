"""Removing lock files whose owner is gone, as an operation that can be undone; never one whose owner may live."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, holding, locking, sealing
from memcli.core.locking import CLEARED, Row
from memcli.errors import NothingToClear, RefusedForSafety, UsageError
from memcli.model import Workspace
from memcli.storage import undo
from memcli.storage.versions import read_version

SHOWN = 8
"""How many candidates an error names."""


class Cleared(NamedTuple):
    """One lock file that was removed; `id` is of the operation, "" when it is not done: `state` tells."""

    row: Row
    id: str
    state: str


def choose(names: Sequence[str], workspaces: Sequence[Workspace]) -> list[Row]:
    """The stale lock files that are meant: all, or those that `names` name by path or by a part of it that no other has.

    Raises UsageError for an unknown or ambiguous name and for archives, RefusedForSafety when a named lock is held or may
    be, NothingToClear when nothing is left.
    """
    for workspace in workspaces:
        if holding.is_copy(workspace):
            raise UsageError(f"{workspace.shown} is a copy: its locks keep nobody out. Nothing was changed.")
    rows = [row for workspace in workspaces for row in locking.locks(workspace)]
    if not names:
        stale = [row for row in rows if row.clear]
        if not stale:
            raise NothingToClear(_nothing(rows))
        return list({row.path: row for row in stale}.values())
    chosen = list({row.path: row for name in names for row in _named(name, rows)}.values())
    held = [row for row in chosen if row.state in ("alive", "unknown")]
    if held:
        advice = " ".join(_advice(row) for row in held)
        raise RefusedForSafety(f"{advice} Nothing was changed.", path=held[0].path, why="locked")
    stale = [row for row in chosen if row.clear]
    if not stale:
        raise NothingToClear(" ".join(_needless(row) for row in chosen))
    return stale


def clear(rows: Sequence[Row], *, command: Sequence[str]) -> list[Cleared]:
    """Remove the lock files, one operation for each workspace. Raises RefusedForSafety when an owner is there after all, or
    the file is not what it was, CannotWrite; then nothing of that workspace is changed."""
    cleared = []
    for workspace in dict.fromkeys(row.workspace for row in rows):
        mine = [row for row in rows if row.workspace == workspace]
        cleared += _clear(workspace, mine, command)
    return cleared


def _clear(workspace: Workspace, rows: Sequence[Row], command: Sequence[str]) -> list[Cleared]:
    """Beginning an operation removes what a killed memcli left: such a lock is gone without being removed here."""
    store = sealing.store(workspace)
    there = []
    with undo.begin(store, "locks clear", command=command, agent=workspace.agent) as operation:
        for row in rows:
            assert row.lock is not None
            version = read_version(row.lock.path) if os.path.lexists(row.lock.path) else None
            holder = holding.look(workspace, row.lock)
            if version is None or holder is None:
                continue
            if holder.alive is not False:
                raise RefusedForSafety(f"{holder.sentence} Nothing was changed.", path=row.path, why="locked")
            operation.remove(row.lock.path, version, root=guarding.root_of(workspace, row.lock.path))
            there.append(row)
        record = operation.commit() if there else None
    if record is None:
        return [Cleared(row, "", "gone") for row in rows]
    return [Cleared(row, record.id, "removed") if row in there else Cleared(row, "", "gone") for row in rows]


def _named(name: str, rows: Sequence[Row]) -> list[Row]:
    path = os.path.abspath(os.path.expanduser(name))
    exact = [row for row in rows if row.path == path or os.path.realpath(row.path) == os.path.realpath(path)]
    found = {row.path: row for row in exact or [row for row in rows if name in row.below]}
    if not found:
        raise UsageError(f"No lock answers to {name!r} among {len(rows)}; 'memcli locks ls' lists them.")
    if len(found) > 1:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        names = [*found][:SHOWN]
        raise UsageError(f"{name!r} can mean {', '.join(names)}{more}; give a whole path.", candidates=[*found])
    return [*found.values()]


def _advice(row: Row) -> str:
    """Who holds a lock, and what there is to do about it."""
    who = f"process {row.holder.pid}" if row.holder else "its owner"
    if row.kind == "beacon":
        return f"{row.message} It keeps nobody out."
    if row.state == "alive" and row.kind in CLEARED:
        return f"{row.message} It goes when {who} is done; look at that."
    if row.kind in CLEARED:
        return f"{row.message} If you are sure that nobody uses it, remove the file yourself."
    return f"{row.message} The kernel frees it when {who} ends or lets go, so there is nothing to clear; look at that."


def _needless(row: Row) -> str:
    """Why a lock that is not held is not cleared."""
    if row.kind == "beacon":
        return f"{row.message} It keeps nobody out, and the agent writes it anew: there is nothing to clear."
    return (
        f"{row.path} is free. The kernel keeps it, and the file stays as the agent made it: there is nothing to clear."
    )


def _nothing(rows: Sequence[Row]) -> str:
    held = sum(row.state in ("alive", "unknown") and row.kind != "beacon" for row in rows)
    sentence = "No lock is stale; nothing was changed."
    if not held:
        return sentence
    return f"{sentence} 'memcli locks ls' tells who holds {'the one that is' if held == 1 else f'the {held:,} that are'} held."
