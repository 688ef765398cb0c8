"""Exchanging a new content with the old one, and undoing that without losing what anybody wrote meanwhile.

What comes out of the exchange is compared with what had been read. When it differs, somebody saved in between: that
content goes back to its place, and whatever was saved even later goes before it. Source: reliability.md 2.5.
"""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from memcli.errors import CannotWrite, MemcliError
from memcli.storage import system
from memcli.storage.parts import drop
from memcli.storage.reaching import Place, changed, refused
from memcli.storage.versions import CHUNK, Version

TRIES = 1000
"""Exchanges in a row, each of which meets a save by somebody else, before giving up."""


class Displaced(NamedTuple):
    """The old file after a swap: the name that it has now, and its version when it came out."""

    name: str
    version: Version


def swap(place: Place, part: str, spare: str, expected: Version, ours: Version) -> Displaced:
    """Put the file called `part` (of version `ours`) in the place of the one that must still be `expected`.

    Raises RefusedForSafety when it is not; then what stood there stands there again. Where the file system cannot
    exchange names, the old file gets the second name `spare` and is then renamed over.
    """
    try:
        system.exchange(part, place.name, place.folder)
    except FileNotFoundError as error:
        raise changed(place.path, "was removed after it was read") from error
    except OSError as error:
        if error.errno in system.NO_EXCHANGE:
            return _swap_by_link(place, part, spare, expected)
        raise
    out = came_out(place, part, expected)
    if out is None:
        try:
            put_back(place, part, ours)
        except OSError as error:
            raise refused(place.path, error, in_place=True) from error
        raise changed(place.path)
    return Displaced(part, out)


def came_out(place: Place, name: str, expected: Version) -> Version | None:
    """The version of the file called `name` if it is the expected one; one that cannot be read is not."""
    try:
        out = place.version(name)
    except OSError:
        return None
    return out if out is not None and out.same(expected) else None


def put_back(place: Place, displaced: str, ours: Version) -> None:
    """Exchange the file called `displaced` and `ours`, which is in its place, back again.

    Somebody may have saved over `ours` by now: that is newer and stays, as often as it happens. What somebody
    appended to `ours` is appended to what comes back.
    """
    placed: Version | None = ours
    for _ in range(TRIES):
        back = place.version(displaced)
        system.exchange(displaced, place.name, place.folder)
        out = place.version(displaced)
        if out is not None and placed is not None and out.same(placed):
            return
        if _carried_over(place, displaced, place.name, out, ours):
            return
        placed = back
    raise CannotWrite(
        f"{place.path} is being saved faster than it can be put back; its newest content stands.", path=place.path
    )


def put_back_spare(place: Place, spare: str, ours: Version) -> None:
    """As `put_back` where names cannot be exchanged: what was saved over `ours` is newer and stays."""
    out = place.version()
    if (out is not None and out.same(ours)) or _carried_over(place, place.name, spare, out, ours):
        system.rename(spare, place.name, place.folder)
    else:
        drop(place, spare)


def give_back(place: Place, spare: str) -> None:
    """Give the file called `spare` its own name again, unless somebody made a new one meanwhile: then both stay.

    Raises CannotWrite in that case.
    """
    try:
        name_new(place, spare)
    except FileExistsError as error:
        kept = os.path.join(os.path.dirname(place.real), spare)
        raise CannotWrite(
            f"{place.path} was written anew while it was removed; what stood there before is {kept}.",
            path=place.path,
            in_place=True,
        ) from error
    if place.status(spare) is not None:
        system.unlink(spare, place.folder)


def name_new(place: Place, name: str) -> None:
    """Give the file called `name` the name of `place` if that is free (FileExistsError); `name` may stay as well."""
    try:
        system.link(name, place.name, place.folder)
        return
    except OSError as error:
        if error.errno not in system.NO_LINK:
            raise
    try:
        system.rename_new(name, place.name, place.folder)
    except OSError as error:
        if error.errno in system.NO_EXCHANGE:
            raise _unfit(place) from error
        raise


def _swap_by_link(place: Place, part: str, spare: str, expected: Version) -> Displaced:
    try:
        system.link(place.name, spare, place.folder)
    except FileNotFoundError as error:
        raise changed(place.path, "was removed after it was read") from error
    except OSError as error:
        if error.errno in system.NO_LINK:
            raise _unfit(place) from error
        raise
    try:
        seen = came_out(place, spare, expected)
        now = place.status()
        if seen is None or now is None or not seen.stands(now):
            raise changed(place.path)
        system.rename(part, place.name, place.folder)
    except (MemcliError, OSError):
        drop(place, spare)
        raise
    return Displaced(spare, seen)


def _carried_over(place: Place, source: str, target: str, out: Version | None, ours: Version) -> bool:
    """Append to `target` what somebody appended to `ours`, which is called `source` now; False when `source` is
    something else."""
    if out is None or out.ino != ours.ino or out.size <= ours.size:
        return False
    fd = place.open(source)
    try:
        if _prefix(fd, ours.size) != ours.sha256:
            return False
        onto = system.open_to_append(target, place.folder)
        try:
            position = ours.size
            while piece := os.pread(fd, CHUNK, position):
                system.write_all(onto, piece)
                position += len(piece)
            system.fsync(onto)
        finally:
            os.close(onto)
    finally:
        os.close(fd)
    return True


def _prefix(fd: int, size: int) -> str:
    from hashlib import sha256

    digest = sha256()
    position = 0
    while position < size and (piece := os.pread(fd, min(CHUNK, size - position), position)):
        digest.update(piece)
        position += len(piece)
    return digest.hexdigest()


def _unfit(place: Place) -> CannotWrite:
    why = os.strerror(errno.EOPNOTSUPP).lower()
    return CannotWrite(
        f"{place.path} cannot be rewritten safely: its file system has neither hard links nor an exchange of names. "
        "It was not changed; write a copy elsewhere instead (--to).",
        path=place.path,
        why=why,
    )
