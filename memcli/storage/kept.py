"""The operations that are kept to be undone: listing them, and forgetting the oldest."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from memcli.storage import records, state, system
from memcli.storage.append import find
from memcli.storage.intents import PIECES
from memcli.storage.records import Change, Record
from memcli.storage.state import Store
from memcli.storage.versions import Version, made

KEPT = 200
"""Operations that can be undone in one workspace, before the oldest go; unattended runs push out none of the last so many that a
person asked for."""
UNATTENDED = "--cron"
KEPT_BYTES = 1 << 30
"""Bytes of old copies in one workspace, before the oldest go; the newest always stays."""
RECENT = 600.0
"""Seconds after which it does not matter any more what an operation left."""


def listed(store: Store) -> list[Record]:
    """The operations of a workspace, newest first."""
    undone: dict[str, str] = {}
    found = []
    for record in _newest_first(store):
        record = record._replace(undone_by=undone.get(record.id, ""))
        if record.undoes and not record.undone_by:
            undone[record.undoes] = record.id
        found.append(record)
    return found


def folder_of(store: Store, record: Record) -> str:
    """The folder with the copies of an operation."""
    return os.path.join(store.folder, "undo", record.folder)


def left(store: Store, paths: Sequence[str]) -> dict[str, Version]:
    """What the newest operation on each of `paths` left there, if that was a short while ago: for alive.signs."""
    wanted = {os.path.realpath(path): path for path in paths}
    found: dict[str, Version] = {}
    for record in _newest_first(store):
        if not wanted or time.time() - _when(record) > RECENT:
            break
        for change in record.changes:
            path = wanted.pop(change.path, "")
            version = _left(store, record, change) if path else None
            if version is not None:
                found[path] = version
    return found


def prune(store: Store, *, keep: int = KEPT, keep_bytes: int = KEPT_BYTES) -> list[Record]:
    """Forget the oldest operations beyond a number and a size; those that were forgotten. However large, the newest
    stays, unless `keep` is 0. Beyond the number those go first that nobody asked for.

    What is in quarantine stays for ever. The caller holds memcli's own lock. Raises CannotWrite.
    """
    base = os.path.join(store.folder, "undo")
    forgotten = []
    names = sorted(_names(base), reverse=True)
    asked = [_asked(os.path.join(base, name)) for name in names] if len(names) > keep else []
    total = 0
    for number, name in enumerate(names):
        folder = os.path.join(base, name)
        total += sum(state.sizes(folder))
        spared = number < keep or (asked[number] and sum(asked[:number]) < keep)
        if not spared or (number and total > keep_bytes):
            record = records.read(folder)
            with state.telling(folder):
                _forget(store, folder)
            forgotten += [record] if record else []
    return forgotten


def _asked(folder: str) -> bool:
    """Whether a person asked for the operation in a folder."""
    record = records.read(folder)
    return record is not None and UNATTENDED not in record.command


def _forget(store: Store, folder: str) -> None:
    pieces = os.path.join(folder, PIECES)
    if os.path.isdir(pieces):  # a power cut kept them from getting to their place
        system.rename(pieces, os.path.join(state.place(store, "quarantine"), os.path.basename(folder)))
    state.remove_tree(folder)


def _left(store: Store, record: Record, change: Change) -> Version | None:
    if change.kind != "append":
        return change.new
    try:
        with (
            open(os.path.join(folder_of(store, record), change.copy), "rb") as copy,
            open(change.path, "rb") as file,
        ):
            offset = find(file.fileno(), copy.read(), change.offset)
            status = os.fstat(file.fileno())
    except OSError:
        return None
    last = offset is not None and offset + change.length == status.st_size
    return made(status, status.st_size, "") if last else None


def _newest_first(store: Store) -> Iterator[Record]:
    base = os.path.join(store.folder, "undo")
    for name in sorted(_names(base), reverse=True):
        record = records.read(os.path.join(base, name))
        if record is not None:
            yield record


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _when(record: Record) -> float:
    from calendar import timegm

    return timegm(time.strptime(record.time, "%Y-%m-%dT%H:%M:%SZ"))
