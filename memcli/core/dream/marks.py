"""How far each session has been read by a Dream of memcli: its own note in the state folder, one file for a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli.core.dream import noted
from memcli.core.dream.noted import Noted
from memcli.core.landing import Write
from memcli.storage.state import Store

FILE = "marks.json"


class Mark(NamedTuple):
    """The last rows of a session that were read, as their digests (row_marks), the newest last; `row` is the number that the
    newest had, `at` its stored time. `size` and `mtime_ns` are the file's when nothing in it was left to read, 0 otherwise."""

    row: int
    tail: tuple[str, ...]
    at: str = ""
    size: int = 0
    mtime_ns: int = 0


class Marks(NamedTuple):
    """All marks of a workspace by session, and the file that they stand in."""

    by_session: Mapping[str, Mark]
    file: Noted

    def write(self, changed: Mapping[str, Mark]) -> Sequence[Write]:
        """What must be written for these marks to take the place of the old ones."""
        if not changed:
            return []
        every = {**self.by_session, **changed}
        return [self.file.write({key: mark._asdict() for key, mark in every.items()})]


def read(store: Store) -> Marks:
    """The marks of a workspace. Of a file that somebody damaged, what can be read. Makes nothing."""
    file = noted.read(store, FILE)
    return Marks({key: mark for key, one in file.values.items() if (mark := _mark(one)) is not None}, file)


def _mark(value: Any) -> Mark | None:
    if not isinstance(value, dict):
        return None
    row, tail, at, size, mtime_ns = (value.get(name) for name in Mark._fields)
    if not isinstance(tail, list) or not all(isinstance(one, str) for one in (at, *tail)):
        return None
    if type(row) is not int or type(size) is not int or type(mtime_ns) is not int:
        return None
    return Mark(row, tuple(tail), str(at), size, mtime_ns)
