"""Adding one line to a file that agents append to: one write, whole or not at all, never glued to what is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.errors import CannotWrite
from memcli.storage import system
from memcli.storage.locks import Lock, hold
from memcli.storage.reaching import Folders, Place, refused
from memcli.storage.state import Store


class Appended(NamedTuple):
    """Where a record stands now: byte `offset`, `length` with its newline. `mended`: the file did not end with a
    newline, and got one first."""

    offset: int
    length: int
    mended: bool


def append(
    path: str, record: bytes, *, root: str, lock: Sequence[Lock] = (), store: Store, timeout: float = 10.0
) -> Appended:
    """Append `record` (without a newline) as a line to the existing file at `path`, holding the agent's locks `lock`.

    A missing final newline is added in the same write. Raises CannotRead when there is no such file, RefusedForSafety
    for an odd file or a lock that is not free within `timeout` seconds, CannotWrite when the record could not be
    written; then the file is as it was. Source: cli-contract "Writing", appends.
    """
    with Folders() as folders, hold(lock, store=store, timeout=timeout):
        return append_at(folders.place(path, root), record)


def append_at(place: Place, record: bytes, *, sync: bool = True) -> Appended:
    """As `append`, with the locks held by the caller; without `sync` it is not yet on the disk."""
    if b"\n" in record:
        raise ValueError("a record is one line")
    os.close(place.open())  # refuses what is not a plain file
    try:
        fd = system.open_to_append(place.name, place.folder)
    except OSError as error:
        raise refused(place.path, error) from error
    try:
        with system.uninterrupted():
            return _write(place, fd, record, sync)
    except OSError as error:
        raise refused(place.path, error) from error
    finally:
        os.close(fd)


def find(fd: int, line: bytes, near: int, *, anywhere: bool = False) -> int | None:
    """The byte where `line` (with its newline) stands: at `near`, just behind it, or in a later line; `anywhere`: the
    only line of the file that is the same. None when there is no such line, or more than one."""
    from memcli.storage.lines import forward

    for offset in (near, near + 1):
        if os.pread(fd, len(line), offset) == line and (offset == 0 or os.pread(fd, 1, offset - 1) == b"\n"):
            return offset
    start = 0 if anywhere else max(near - 1, 0)  # what begins there is the end of a line, if only its newline
    every = (one for one in forward(fd, start) if one.offset > start or start == 0)
    hits = [one.offset for one in every if one.ended and one.raw == line[:-1]]
    return hits[0] if len(hits) == 1 else None


def _write(place: Place, fd: int, record: bytes, sync: bool) -> Appended:
    size = os.fstat(fd).st_size
    mended = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
    data = b"\n" * mended + record + b"\n"
    taken = system.write(fd, data)
    if taken < len(data):
        _take_back(place, fd, size, data[:taken])
    end = os.lseek(fd, 0, os.SEEK_CUR)  # with O_APPEND: behind our write, wherever the end was by then
    if sync:
        try:
            system.fdatasync(fd)
        except OSError as error:
            raise refused(place.path, error, in_place=True) from error
    return Appended(end - len(record) - 1, len(record) + 1, mended)


def _take_back(place: Place, fd: int, size: int, piece: bytes) -> None:
    """Cut off a record that was written in part (the disk is full), unless somebody wrote behind it already."""
    if os.fstat(fd).st_size == size + len(piece) and os.pread(fd, len(piece), size) == piece:
        system.ftruncate(fd, size)
        raise CannotWrite(
            f"{place.path} could not take the record: there is no space left, or a limit was met. It was not changed.",
            path=place.path,
            in_place=False,
        )
    raise CannotWrite(
        f"{place.path} took only a part of the record, and another program wrote behind it; see 'memcli verify'.",
        path=place.path,
        in_place=True,
    )
