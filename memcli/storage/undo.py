"""Operations: every change of an agent's files as something that can be listed and undone, byte for byte.

with undo.begin(store, "repair", command=argv, agent=workspace.agent, locks=locks) as operation:
    operation.rewrite(path, version, pieces, root=workspace.root)
    operation.set_aside(path, offset, removed, code)
    record = operation.commit()
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.errors import CannotRead, NothingToUndo, UsageError
from memcli.storage.append import find
from memcli.storage.kept import KEPT, KEPT_BYTES, folder_of, left, listed, prune
from memcli.storage.operation import Operation, begin
from memcli.storage.reaching import changed
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.records import Change, Record
from memcli.storage.state import Store
from memcli.storage.versions import CHUNK, Version, read_version

__all__ = [
    "KEPT",
    "KEPT_BYTES",
    "Change",
    "Operation",
    "Record",
    "begin",
    "check",
    "left",
    "listed",
    "prune",
    "undo",
    "wanted",
]


def undo(store: Store, operation: str | None = None, *, command: Sequence[str] = ()) -> Record:
    """Undo one operation, or the newest that is neither undone nor itself an undo; the record of doing so, which can
    be undone by its id.

    Content, mode and time of change come back, created files go, removed files return; what is lasting stays.
    Raises NothingToUndo, UsageError for an unknown id and for one that was committed, RefusedForSafety when a file is not
    what the operation left, CannotRead when a copy is damaged.
    """
    record = wanted(store, operation)
    check(record, store.root)
    with begin(
        store,
        "undo",
        command=command,
        agent=record.agent,
        locks=record.locks,
        beacons=record.beacons,
        undoes=record.id,
    ) as reversal:
        record = wanted(store, record.id)  # another memcli may have been faster
        for change in reversed([one for one in record.changes if not one.lasting]):
            _reverse(reversal, change, os.path.join(folder_of(store, record), change.copy))
        return reversal.commit()


def check(record: Record, root: str) -> None:
    """Raise UsageError for an operation that was committed: what is in git is taken back there, with what came later kept.
    `root` is the workspace that the operation was in."""
    made = [one for one in record.commits if one.id]
    if made:
        import shlex

        trees = [one.tree if not root or not _below(one.tree, root) else root for one in made]
        words = [["memcli", "revert", one.id[:8], "-W", tree] for one, tree in zip(made, trees, strict=True)]
        commands = " and ".join(f"'{shlex.join(each)}'" for each in words)
        raise UsageError(
            f"The {record.what} {record.id} is in git: {commands} takes it back, and keeps what came later. Nothing was "
            "changed.",
            commits=[one.id for one in made],
        )


def _below(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    return os.path.commonpath((path, root)) == root


def wanted(store: Store, operation: str | None = None) -> Record:
    """The operation that `undo` would undo. Raises NothingToUndo, UsageError for an unknown id."""
    every = listed(store)
    if operation is None:
        for record in every:
            if not record.undone_by and not record.undoes:
                return record
        raise NothingToUndo("There is nothing to undo in this workspace.")
    for record in every:
        if record.id == operation:
            if record.undone_by:
                raise NothingToUndo(f"{operation} was undone already, by {record.undone_by}.")
            return record
    raise UsageError(f"There is no operation {operation}; 'memcli undo --list' shows those there are.")


def _reverse(reversal: Operation, change: Change, copy: str) -> None:
    path, root, old, new = change.path, change.root, change.old, change.new
    if change.kind == "append":
        _cut_out(reversal, change, copy)
    elif new is None:
        assert old is not None
        if os.path.lexists(path):
            raise changed(path, "was written anew since")
        reversal.create(path, _copied(copy, old), root=root, mtime=old.mtime_ns, mode=old.mode)
    elif old is None:
        reversal.remove(path, _still(path, new), root=root)
    elif change.kind == "chmod":
        now = read_version(path)
        if now.mode != new.mode:
            raise changed(path, "got another mode since")
        reversal.chmod(path, now, old.mode, root=root)
    else:
        now = _still(path, new)
        mode = old.mode if now.mode == new.mode else None
        reversal.rewrite(path, now, _copied(copy, old), root=root, mtime=old.mtime_ns, mode=mode)


def _still(path: str, new: Version) -> Version:
    """The version of a file now, if its bytes are those that the operation left."""
    if not os.path.lexists(path):
        raise changed(path, "was removed since")
    now = read_version(path)
    if not now.same(new):
        raise changed(path, "was changed since")
    return now


def _copied(copy: str, old: Version) -> Iterator[bytes]:
    """The bytes of a copy, which must be the old ones to the last."""
    from hashlib import sha256

    digest = sha256()
    fd = open_regular(copy)
    try:
        position = 0
        while piece := os.pread(fd, CHUNK, position):
            digest.update(piece)
            position += len(piece)
            yield piece
    except OSError as error:
        raise unreadable(copy, error) from error
    finally:
        os.close(fd)
    if digest.hexdigest() != old.sha256:
        raise CannotRead(f"The copy {copy} is damaged; nothing was changed.", path=copy, why="it is damaged")


def _cut_out(reversal: Operation, change: Change, copy: str) -> None:
    """Take an appended line out again, wherever it is by now."""
    with open(copy, "rb") as file:
        line = file.read()
    now = read_version(change.path)
    fd = open_regular(change.path)
    try:
        offset = find(fd, line, change.offset, anywhere=True)
    finally:
        os.close(fd)
    if offset is None:
        raise changed(change.path, "does not have the appended line any more, or has it more than once")
    length = len(line)
    if offset == change.offset + 1 and offset + length == now.size:  # the newline that was missing goes as well
        offset, length = offset - 1, length + 1
    reversal.rewrite(change.path, now, _without(change.path, offset, length), root=change.root)


def _without(path: str, offset: int, length: int) -> Iterator[bytes]:
    fd = open_regular(path)
    try:
        position = 0
        while True:
            if position == offset:
                position += length
            size = min(CHUNK, offset - position) if position < offset else CHUNK
            piece = os.pread(fd, size, position)
            if not piece:
                return
            position += len(piece)
            yield piece
    finally:
        os.close(fd)
