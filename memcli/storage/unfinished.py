"""What a memcli that was killed left beside agents' files: known by its intents, and finished before anything else is
written."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.storage import intents, locks, records, state
from memcli.storage.holders import Lock, probe
from memcli.storage.intents import Recovered
from memcli.storage.parts import part_name, spare_name
from memcli.storage.state import Store


def parts() -> dict[str, Store]:
    """The parts that the next writing memcli cleans up, whether or not they are there: real path -> the store that knows
    it. Those of a memcli that is at work right now are among them. Reads only. Raises RefusedForSafety when the state
    folder is another user's."""
    return {path: store for store in state.stores() for path in _of(store)}


def at_work(store: Store) -> bool:
    """Whether a memcli is writing to the workspace of `store` now."""
    holder = probe(Lock("flock", os.path.join(store.folder, "lock")))
    return holder is not None and holder.alive is True


def finish(store: Store) -> list[Recovered]:
    """Finish or drop what was interrupted (intents.recover); nothing, and nothing is made, where there is nothing open
    or where another memcli is at work. Raises RefusedForSafety, CannotWrite."""
    if not _names(store) or at_work(store):
        return []
    with locks.own(store):
        return intents.recover(store)


def _of(store: Store) -> Iterator[str]:
    for name in _names(store):
        path = os.path.join(store.folder, "intents", name)
        if name.startswith(locks.NOTE):
            yield from _noted(path)
            continue
        record = records.read(path)
        for change in record.changes if record else ():
            folder = os.path.dirname(change.path)
            yield os.path.join(folder, part_name(change.token))
            yield os.path.join(folder, spare_name(change.token))


def _noted(path: str) -> Iterator[str]:
    """The part that a note on a lock file speaks of."""
    import json

    try:
        with open(path, "rb") as file:
            part = json.load(file)["part"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if isinstance(part, str):
        yield os.path.realpath(part)


def _names(store: Store) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(store.folder, "intents")))
    except OSError:
        return []
