"""What was removed on purpose: a line for each session, so that a mirror does not bring it back.

A line stands as long as the removal was not undone. Lines are kept in memcli's own state, one file for each workspace.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.storage import state
from memcli.storage.state import Store

FILE = "deleted.jsonl"


class Tombstone(NamedTuple):
    """One session that was removed: `deleted_at` in UTC, `sha256` and `rows` of the file as it was at `path`, `workspace`
    its folder, `operation` the id by which the removal can be undone."""

    key: str
    agent: str
    workspace: str
    deleted_at: str
    sha256: str
    rows: int
    path: str
    operation: str


def add(store: Store, stones: Sequence[Tombstone]) -> None:
    """Keep tombstones. The caller holds memcli's own lock of the workspace. Raises CannotWrite."""
    import json

    path = os.path.join(state.place(store, "tombstones"), FILE)
    lines = [json.dumps(stone._asdict(), ensure_ascii=True).encode() + b"\n" for stone in stones]
    old = _raw(path)
    if old and not old.endswith(b"\n"):
        old += b"\n"
    with state.telling(path, after=True):
        state.write_file(path, b"".join([old, *lines]))


def read(store: Store) -> list[Tombstone]:
    """Every tombstone of a workspace, the oldest first; lines that are none are passed over."""
    import json

    found = []
    for line in _raw(os.path.join(store.folder, "tombstones", FILE)).split(b"\n"):
        try:
            value = json.loads(line)
            stone = Tombstone(**{name: value[name] for name in Tombstone._fields})
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(stone.rows, int) and all(isinstance(text, str) for text in (*stone[:5], *stone[6:])):
            found.append(stone)
    return found


def standing(store: Store) -> list[Tombstone]:
    """The tombstones whose removal was not undone, the oldest first."""
    from memcli.storage.kept import listed

    stones = read(store)
    undone = {record.id for record in listed(store) if record.undone_by} if stones else set()
    return [stone for stone in stones if stone.operation not in undone]


def _raw(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
