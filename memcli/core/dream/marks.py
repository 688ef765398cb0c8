"""How far each session has been read by a Dream of memcli: its own note in the state folder, one file for a workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from memcli.core.landing import Write
from memcli.storage import state
from memcli.storage.state import Store
from memcli.storage.versions import Version, read_version

FILE = "marks.json"
KEPT = 16
"""So many of the last rows are remembered: agents change the newest rows, and cut off the oldest."""


class Mark(NamedTuple):
    """The last rows of a session that were read, as their digests, the newest last; `row` is the number that the newest had, `at`
    its stored time. `size` and `mtime_ns` are the file's when nothing in it was left to read, 0 otherwise."""

    row: int
    tail: tuple[str, ...]
    at: str = ""
    size: int = 0
    mtime_ns: int = 0


class Marks(NamedTuple):
    """All marks of a workspace by session, and the version of their file, None where there is none."""

    store: Store
    by_session: Mapping[str, Mark]
    version: Version | None

    def write(self, changed: Mapping[str, Mark]) -> Sequence[Write]:
        """What must be written for these marks to take the place of the old ones."""
        if not changed:
            return []
        folder = state.place(self.store, "dreams")
        value = {key: mark._asdict() for key, mark in sorted({**self.by_session, **changed}.items())}
        data = json.dumps(value, ensure_ascii=True, indent=0).encode() + b"\n"
        return [Write(os.path.join(folder, FILE), data, folder, self.version, ours=True)]


def read(store: Store) -> Marks:
    """The marks of a workspace. Of a file that somebody damaged, what can be read. Makes nothing."""
    path = os.path.join(store.folder, "dreams", FILE)
    try:
        version = read_version(path) if os.path.lexists(path) else None
        with open(path, "rb") as file:
            value = json.load(file)
    except FileNotFoundError:
        return Marks(store, {}, None)
    except (OSError, ValueError, RecursionError):
        return Marks(store, {}, version)
    found = value.items() if isinstance(value, dict) else ()
    return Marks(store, {key: mark for key, one in found if (mark := _mark(one)) is not None}, version)


def digest(raw: bytes) -> str:
    """What a row is known by."""
    return sha256(raw).hexdigest()[:16]


def _mark(value: object) -> Mark | None:
    if not isinstance(value, dict):
        return None
    row, tail, at, size, mtime_ns = (value.get(name) for name in Mark._fields)
    numbers = (row, size, mtime_ns)
    if not isinstance(tail, list) or not all(type(one) is int for one in numbers):
        return None
    if not all(isinstance(one, str) for one in (at, *tail)):
        return None
    return Mark(int(value["row"]), tuple(tail), str(at), int(value["size"]), int(value["mtime_ns"]))
