"""A new content, written whole beside the file that it is to replace, with that file's owner, mode and attributes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

from memcli.storage import system
from memcli.storage.reaching import Place
from memcli.storage.versions import Version, made

Mtime = Literal["now", "keep"] | int
"""The new file's time of change: when it was written, that of the old file, or nanoseconds since 1970."""


def part_name(token: str) -> str:
    """The name of a part; no agent lists files called so."""
    return f".memcli-{token}.part"


def spare_name(token: str) -> str:
    """The second name of the old file where names cannot be exchanged."""
    return f".memcli-{token}.old.part"


def is_part(name: str) -> bool:
    """Whether a file called so is a part or a spare."""
    token = name.removeprefix(".memcli-").removesuffix(".part").removesuffix(".old")
    return name in (part_name(token), spare_name(token)) and len(token) == 16 and not token.strip("0123456789abcdef")


def write_part(
    place: Place,
    name: str,
    pieces: bytes | Iterable[bytes],
    *,
    like: int | None,
    mtime: Mtime = "now",
    mode: int | None = None,
) -> Version:
    """Write `pieces` to a new file called `name` beside `place`, and have it on the disk; its version.

    `like` is the descriptor of the file whose owner, mode, attributes and (mtime="keep") time it takes over; `mode`
    goes before. When anything fails the part is removed again.
    """
    from hashlib import sha256

    digest = sha256()
    size = 0
    fd = system.create(name, 0o600, place.folder)
    try:
        try:
            for piece in (pieces,) if isinstance(pieces, bytes) else pieces:
                system.write_all(fd, piece)
                digest.update(piece)
                size += len(piece)
            _dress(fd, like, mode)
            if mtime != "now":
                changed = os.fstat(like).st_mtime_ns if mtime == "keep" and like is not None else mtime
                if isinstance(changed, int):
                    system.utime(fd, changed, changed)
            system.fsync(fd)
            return made(os.fstat(fd), size, digest.hexdigest())
        finally:
            os.close(fd)
    except BaseException:
        drop(place, name)
        raise


def drop(place: Place, name: str) -> None:
    """Remove a part if it is there. Never raises OSError: whoever calls it has a failure to tell, or nothing to lose."""
    try:
        system.unlink(name, place.folder)
    except OSError:
        pass


def _dress(fd: int, like: int | None, mode: int | None) -> None:
    """Owner, mode and extended attributes (access lists among them) of the descriptor `like`."""
    if like is None:
        system.fchmod(fd, 0o600 if mode is None else mode)
        return
    old = os.fstat(like)
    bits = old.st_mode & 0o7777 if mode is None else mode
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            system.fchown(fd, old.st_uid, old.st_gid)
        except PermissionError:
            bits &= 0o1777  # a set-id bit must not speak for another group than before
    system.fchmod(fd, bits)
    for name in os.listxattr(like) if hasattr(os, "listxattr") else ():
        _copy_attribute(fd, like, name)


def _copy_attribute(fd: int, like: int, name: str) -> None:
    value = os.getxattr(like, name)
    try:
        system.setxattr(fd, name, value)
    except PermissionError:
        if not name.startswith(("security.", "trusted.")):  # those are the system's own, set by rules of its own
            raise
