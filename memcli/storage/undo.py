"""Operations: every change of an agent's files as something that can be listed and undone, byte for byte.

with undo.begin(store, "repair", command=argv, agent="catbuddy", locks=locks) as operation:
    operation.rewrite(path, version, pieces, root=workspace.root)
    operation.set_aside(path, offset, removed, code)
    record = operation.commit()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memcli.storage.atomic import Mtime, Version
from memcli.storage.locks import Lock
from memcli.storage.state import Store

KEPT = 200
"""Operations that can be undone in one workspace, before the oldest go."""
KEPT_BYTES = 1 << 30
"""Bytes of old copies in one workspace, before the oldest go; the newest always stays."""


class Change(NamedTuple):
    """What an operation did to one file. `kind` is "rewrite", "create", "remove", "chmod" or "append"; `old` is None
    for a created file, `new` for a removed one. Of an append: the line at byte `offset`, `length` with its newline."""

    kind: str
    path: str
    root: str
    old: Version | None
    new: Version | None
    copy: str = ""
    offset: int = 0
    length: int = 0


class Record(NamedTuple):
    """One operation. `time` is ISO in UTC; `undoes` the id of the operation that this one undid, `undone_by` the id of
    the one that undid it."""

    id: str
    sequence: int
    time: str
    what: str
    agent: str
    command: tuple[str, ...]
    changes: tuple[Change, ...]
    pieces: int = 0
    pieces_bytes: int = 0
    undoes: str = ""
    undone_by: str = ""


class Operation:
    """Changes that are carried out together by `commit`: all of them or none."""

    id: str

    def rewrite(
        self,
        path: str,
        expected: Version,
        new: bytes | Iterable[bytes],
        *,
        root: str,
        mtime: Mtime = "now",
        mode: int | None = None,
    ) -> None:
        """Put `new` in the place of the file at `path` (atomic.replace)."""
        raise NotImplementedError

    def create(
        self, path: str, data: bytes | Iterable[bytes], *, root: str, mtime: Mtime = "now", mode: int = 0o600
    ) -> None:
        """Write a new file."""
        raise NotImplementedError

    def remove(self, path: str, expected: Version, *, root: str) -> None:
        """Remove a file; undo brings it back."""
        raise NotImplementedError

    def chmod(self, path: str, expected: Version, mode: int, *, root: str) -> None:
        """Give a file other permission bits."""
        raise NotImplementedError

    def set_aside(self, path: str, offset: int, piece: bytes, code: str) -> None:
        """Keep a piece that the change takes out of `path` at byte `offset` in quarantine, verbatim, for ever."""
        raise NotImplementedError

    def commit(self) -> Record:
        """Carry everything out: copies of the old bytes first, then the changes, in one step where there are several
        files (intents). Raises RefusedForSafety or CannotWrite; then no file is changed."""
        raise NotImplementedError


@contextmanager
def begin(
    store: Store,
    what: str,
    *,
    command: Sequence[str] = (),
    agent: str = "",
    locks: Sequence[Lock] = (),
    undoes: str = "",
    timeout: float = 10.0,
) -> Iterator[Operation]:
    """A new operation on the workspace of `store`. memcli's own lock is held until the end of the with block, the
    agent's `locks` too; what an interrupted memcli left open is finished first (intents.recover). An operation that
    is not committed leaves no trace. Raises RefusedForSafety after `timeout` seconds of waiting for a lock."""
    raise NotImplementedError
    yield


def listed(store: Store) -> list[Record]:
    """The operations of a workspace, newest first."""
    raise NotImplementedError


def undo(store: Store, operation: str | None = None, *, command: Sequence[str] = ()) -> Record:
    """Undo one operation, or the newest that is neither undone nor itself an undo; the record of doing so, which can
    be undone by its id. Raises NothingToUndo, UsageError for an unknown id, RefusedForSafety when a file is not what
    the operation left."""
    raise NotImplementedError


def left(store: Store, paths: Sequence[str]) -> dict[str, Version]:
    """What the newest operation on each of `paths` left there: for alive.signs."""
    raise NotImplementedError


def prune(store: Store, *, keep: int = KEPT, keep_bytes: int = KEPT_BYTES) -> list[Record]:
    """Forget the oldest operations beyond a number and a size; those that were forgotten. Quarantine stays."""
    raise NotImplementedError
