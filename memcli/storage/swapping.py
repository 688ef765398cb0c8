"""Exchanging a new content with the old one, if that is still what had been read.

What comes out of the exchange is compared with what had been read. When it differs, somebody saved in between, and
that goes back to its place (putting_back.py). Source: reliability.md 2.5.
"""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from memcli.errors import CannotWrite, MemcliError
from memcli.storage import leases, system
from memcli.storage.parts import drop
from memcli.storage.putting_back import Held, put_back
from memcli.storage.reaching import Place, changed, refused
from memcli.storage.versions import Identity, Version, identity


class Displaced(NamedTuple):
    """The old file after a swap: the name that it has now, and its version when it came out. `leases`: its file system
    has them, so that it can be asked who has it open (network file systems refuse them for other reasons)."""

    name: str
    version: Version
    leases: bool = False


def swap(place: Place, part: str, spare: str, expected: Version, ours: Version) -> Displaced:
    """Put the file called `part` (of version `ours`) in the place of the one that must still be `expected`.

    Raises RefusedForSafety when it is not; then what stood there stands there again. Where the file system cannot
    exchange names, the old file gets the second name `spare` and is then renamed over.
    """
    before = place.status()
    if before is None:
        raise changed(place.path, "was removed after it was read")
    if not expected.stands(before):  # better noticed before the exchange than after it
        raise changed(place.path)
    fd = system.open_to_rewrite(part, place.folder)
    try:
        leased = leases.take(fd)  # until it is known what came out, nobody reads ours
        try:
            system.exchange(part, place.name, place.folder)
        except FileNotFoundError as error:
            raise changed(place.path, "was removed after it was read") from error
        except OSError as error:
            if error.errno in system.NO_EXCHANGE:
                return _swap_by_link(place, part, spare, expected)._replace(leases=leased)
            raise
        out = came_out(place, part, expected)
        if out is None:
            try:
                put_back(place, part, Held(fd, ours.identity, leased))
            except OSError as error:
                raise refused(place.path, error, in_place=True) from error
            raise changed(place.path)
    finally:
        os.close(fd)
    return Displaced(part, out, leased)


def came_out(place: Place, name: str, expected: Version) -> Version | None:
    """The version of the file called `name` if it is the expected one; one that cannot be read is not."""
    try:
        out = place.version(name)
    except OSError:
        return None
    return out if out is not None and out.same(expected) else None


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


def _identity(place: Place, name: str) -> Identity | None:
    status = place.status(name)
    return None if status is None else identity(status)


def _unfit(place: Place) -> CannotWrite:
    why = os.strerror(errno.EOPNOTSUPP).lower()
    return CannotWrite(
        f"{place.path} cannot be rewritten safely: its file system has neither hard links nor an exchange of names. "
        "It was not changed; write a copy elsewhere instead (--to).",
        path=place.path,
        why=why,
    )
