"""memcli's own state: which store belongs to what the user named, what each takes, and removing it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli import settings
from memcli.core import discovering, sealing
from memcli.errors import NothingFound, UsageError
from memcli.model import Workspace
from memcli.storage import intents, scratch, state, tombstones, unfinished
from memcli.storage.locks import own
from memcli.storage.state import Store, Usage


class Kept(NamedTuple):
    """What memcli keeps for one workspace. `there`: the workspace still exists. `deleted` sessions were removed with memcli
    and have a tombstone for the mirror."""

    store: Store
    usage: dict[str, Usage]
    there: bool
    deleted: int = 0

    @property
    def bytes(self) -> int:
        """Everything together."""
        return sum(usage.bytes for usage in self.usage.values())


def named(values: Sequence[str] | None, agent: str | None) -> list[Store]:
    """The stores of the workspaces that the user means, whether or not anything is in them.

    A workspace that is gone, or that shows nothing of an agent any more, is known by its path. Without values: the
    nearest workspaces or the agents' homes, and where there are none, every store there is.
    """
    values = list(values or settings.named_workspaces())
    if not values:
        try:
            return [sealing.store(workspace) for workspace in discovering.find(None, agent)]
        except NothingFound:
            return state.stores()
    found: list[Store] = []
    for value in values:
        by_path = _of_path(value)
        found += by_path or [sealing.store(workspace) for workspace in discovering.find([value], agent)]
    return list(dict.fromkeys(found))


def finish(workspaces: Sequence[Workspace]) -> list[str]:
    """Finish or drop what a memcli that was killed left open in these workspaces, whatever it called them; sentences on it.

    Nothing is done where a memcli is at work. What killed ones left in the temporary folder goes as well. Raises
    RefusedForSafety on a conflict (intents.recover), CannotWrite.
    """
    scratch.sweep()
    folders = {
        os.path.realpath(folder) + os.sep
        for workspace in workspaces
        for folder in (workspace.root, *workspace.sessions, *workspace.memory)
    }
    chosen = {sealing.store(workspace) for workspace in workspaces}
    chosen |= {store for path, store in unfinished.parts().items() if path.startswith(tuple(folders))}
    return [one.sentence for store in sorted(chosen) for one in unfinished.finish(store)]


def kept() -> list[Kept]:
    """What memcli keeps, workspace by workspace, the largest first."""
    found = [
        Kept(store, state.usage(store), os.path.isdir(store.root), len(tombstones.standing(store)))
        for store in state.stores()
    ]
    return sorted(found, key=lambda one: (-one.bytes, one.store.root, one.store.id))


def cache() -> Usage:
    """What the cache takes, which memcli can compute again."""
    every = list(state.sizes(settings.cache_folder()))
    return Usage(len(every), sum(every))


def remove(wanted: str | None) -> list[Kept]:
    """Remove what is kept for one workspace, named by its path or the name of its store, or for all of them (None).

    What was removed. An operation that was interrupted is finished first. Raises UsageError for an unknown name,
    RefusedForSafety while a memcli writes there.
    """
    chosen = [one for one in kept() if wanted is None or _is_meant(one.store, wanted)]
    if wanted is not None and not chosen:
        raise UsageError(f"Nothing is kept for {wanted}; 'memcli state' lists what there is.")
    for one in chosen:
        with own(one.store, timeout=0):
            intents.recover(one.store)
        state.remove(one.store)
    return chosen


def _of_path(value: str) -> list[Store]:
    path = os.path.realpath(os.path.expanduser(value))
    return [store for store in state.stores() if store.root == path]


def _is_meant(store: Store, wanted: str) -> bool:
    return store.id == wanted or (store.root != "" and store.root == os.path.realpath(os.path.expanduser(wanted)))
