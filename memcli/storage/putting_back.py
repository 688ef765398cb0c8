"""Undoing an exchange without losing what anybody wrote meanwhile.

Whatever is put in place before it is known what comes out of it is leased, so that nobody reads it and builds on it:
an agent that saves a message while memcli looks would otherwise go on without it.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from memcli.errors import CannotWrite
from memcli.storage import leases, system
from memcli.storage.parts import drop
from memcli.storage.reaching import Place
from memcli.storage.versions import CHUNK, Identity, Version, identity

TRIES = 1000
"""Exchanges in a row, each of which meets a save by somebody else, before giving up."""
SMALL = 1 << 20
"""Bytes that are written for readers who may just be about to open a file, though none is seen to wait."""


class Held(NamedTuple):
    """A file that is kept open, so that its inode number is not given to another one; -1: it cannot be opened.
    `leased`: nobody else can open it until the lease is given up."""

    fd: int
    identity: Identity | None
    leased: bool


def hold(place: Place, name: str) -> Held:
    """Open the file called `name` and lease it if that can be had. The caller closes `fd`."""
    status = place.status(name)
    seen = None if status is None else identity(status)
    if status is None or not stat.S_ISREG(status.st_mode):
        return Held(-1, seen, False)
    try:
        fd = system.open_to_rewrite(name, place.folder)
    except OSError:
        return Held(-1, seen, False)
    return Held(fd, identity(os.fstat(fd)), leases.take(fd))


def put_back(place: Place, displaced: str, ours: Held) -> None:
    """Exchange the file called `displaced` and ours, which is in its place, back again.

    Somebody may have saved over ours by now: that is newer and stays, as often as it happens. What somebody appended
    to ours is appended to what comes back, and who waits to open it gets what stands in its place then.
    """
    placed = ours
    opened: list[Held] = []
    try:
        for _ in range(TRIES):
            back = hold(place, displaced)
            opened.append(back)
            system.exchange(displaced, place.name, place.folder)
            if _came_out(place, displaced, placed.identity):
                if back.leased:
                    leases.give_up(back.fd)
                for held in (ours, *opened[:-1]):
                    _let_go(place, held)
                return
            placed = back
        raise CannotWrite(
            f"{place.path} is being saved faster than it can be put back; its newest content stands.", path=place.path
        )
    finally:
        for held in opened:
            if held.fd >= 0:
                os.close(held.fd)


def put_back_spare(place: Place, spare: str, ours: Version) -> None:
    """As `put_back` where names cannot be exchanged: what was saved over `ours` is newer and stays."""
    out = place.version()
    if out is None or out.ino != ours.ino:
        drop(place, spare)
        return
    fd = place.open()
    try:
        system.rename(spare, place.name, place.folder)
        _append_rest(place, fd, ours.size)
    finally:
        os.close(fd)


def _came_out(place: Place, name: str, placed: Identity | None) -> bool:
    """Whether what came out is what had been put in place, perhaps with something appended."""
    status = place.status(name)
    if status is None or placed is None:
        return False
    size, _, *where = placed
    grown = where == [status.st_ino, status.st_dev] and status.st_size > size
    return grown or identity(status) == placed


def _let_go(place: Place, held: Held) -> None:
    """Let a file go that was in place for a moment: what was appended to it, and who waits to open it, goes on with
    what is in place now."""
    if held.fd < 0 or held.identity is None:
        return
    _append_rest(place, held.fd, held.identity[0])
    if held.leased:
        size = held.identity[0]
        if size < SMALL or leases.waited_for(held.fd):
            try:
                size = _become(place, held.fd)
            except OSError:
                pass  # no space: it stays what it was, or nearly
        leases.give_up(held.fd)
        leases.wait_until_free(held.fd)
        _append_rest(place, held.fd, size)


def _become(place: Place, fd: int) -> int:
    """Write what is in place over an open file that is not; how many bytes that are."""
    source = place.open()
    try:
        size = 0
        while piece := os.pread(source, CHUNK, size):
            os.lseek(fd, size, os.SEEK_SET)
            system.write_all(fd, piece)
            size += len(piece)
        system.ftruncate(fd, size)
        return size
    finally:
        os.close(source)


def _append_rest(place: Place, fd: int, position: int) -> None:
    """Append to the file in place what stands in `fd` from a position on."""
    if os.fstat(fd).st_size <= position:
        return
    onto = system.open_to_append(place.name, place.folder)
    try:
        system.copy_rest(fd, onto, position)
        system.fsync(onto)
    finally:
        os.close(onto)
