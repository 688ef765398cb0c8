"""For which rows of a session memcli made a summary: its own note in the state folder, a small file for each session.

Rows are known by what they say, not by their bytes or their number: agents write files anew, and cut off the oldest rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from memcli.core import row_marks
from memcli.storage import state
from memcli.storage.locks import own
from memcli.storage.operation import Operation
from memcli.storage.state import Store
from memcli.storage.versions import read_version

FOLDER, ENDING = "compact", ".json"


class Mark(NamedTuple):
    """One session: `path` is where its file is, from the workspace's root; `row` the number of the last row that a summary stands
    for, 0 for none; `tail` the digests of the last such rows, the newest last; `first` that of the file's first row then. `size`
    and `mtime_ns` are those of the file when nothing else of it could be summarised."""

    path: str
    row: int = 0
    tail: tuple[str, ...] = ()
    first: str = ""
    size: int = -1
    mtime_ns: int = 0

    def locate(self, digests: Sequence[str]) -> int:
        """How many of the rows with these digests, from the first, the summary stands for."""
        return row_marks.locate(self.tail, self.row, digests)

    def at_rest(self, size: int, mtime_ns: int) -> bool:
        """Whether the file is still the one of which nothing could be done."""
        return (self.size, self.mtime_ns) == (size, mtime_ns)


def read(store: Store) -> dict[str, Mark]:
    """All marks of a workspace by the path of the session, as `path_in` gives it; damaged ones are passed over. Makes nothing."""
    folder = _folder(store)
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    found = (_read(os.path.join(folder, name)) for name in names if name.endswith(ENDING))
    return {mark.path: mark for mark in found if mark is not None}


def of(store: Store, path: str) -> Mark:
    """The mark of the session in the file `path`; an empty one where there is none."""
    inside = path_in(store, path)
    found = _read(_file(store, inside))
    return found if found is not None and found.path == inside else Mark(inside)


def enter(operation: Operation, store: Store, mark: Mark) -> None:
    """Have an operation write a mark; undoing it brings the old one back."""
    folder = _made(store)
    file = _file(store, mark.path)
    if os.path.lexists(file):
        operation.rewrite(file, read_version(file), _dumped(mark), root=folder)
    else:
        operation.create(file, _dumped(mark), root=folder)


def rest(store: Store, mark: Mark) -> None:
    """Note at once that nothing can be done of a session as it is. The caller is within no operation."""
    with own(store):
        _made(store)
        file = _file(store, mark.path)
        with state.telling(file):
            state.write_file(file, _dumped(mark), alone=True)


def path_in(store: Store, path: str) -> str:
    """Where a file is, from the workspace's root, so that it is found again when the workspace moves."""
    folder, name = os.path.split(path)
    return os.path.relpath(os.path.join(os.path.realpath(folder), name), store.root)


def _folder(store: Store) -> str:
    return os.path.join(store.folder, "dreams", FOLDER)


def _made(store: Store) -> str:
    state.place(store, "dreams")
    folder = _folder(store)
    if not os.path.isdir(folder):
        with state.telling(folder):
            state.make_folder(folder)
    return folder


def _file(store: Store, inside: str) -> str:
    return os.path.join(_folder(store), sha256(os.fsencode(inside)).hexdigest()[:16] + ENDING)


def _dumped(mark: Mark) -> bytes:
    return json.dumps(mark._asdict(), ensure_ascii=True).encode() + b"\n"


def _read(file: str) -> Mark | None:
    try:
        with open(file, "rb") as opened:
            value: Any = json.load(opened)
    except (OSError, ValueError, RecursionError):
        return None
    return _mark(value) if isinstance(value, dict) else None


def _mark(value: Mapping[str, Any]) -> Mark | None:
    path, row, tail, first, size, mtime_ns = (value.get(name) for name in Mark._fields)
    if (
        not isinstance(path, str)
        or not isinstance(first, str)
        or not isinstance(tail, list)
        or not all(isinstance(one, str) for one in tail)
    ):
        return None
    if type(row) is not int or type(size) is not int or type(mtime_ns) is not int:
        return None
    return Mark(path, row, tuple(tail), first, size, mtime_ns)
