"""Pieces of files that may be gone, unreadable, or no files at all: then they are empty."""

from __future__ import annotations

import os

from memcli.core.drafts import read_at
from memcli.errors import CannotRead
from memcli.storage.reading import FLAGS


def beginning(path: str, limit: int, offset: int = 0) -> bytes:
    """At most `limit` bytes of a file from the byte `offset` on."""
    try:
        return read_at(path, offset, limit)
    except (CannotRead, OSError):
        return b""


def first_line(path: str, limit: int) -> bytes:
    """The first line of a file, at most `limit` bytes of it. Quick: it is asked of thousands."""
    try:
        fd = os.open(path, FLAGS)
        try:
            return os.read(fd, limit).partition(b"\n")[0]
        finally:
            os.close(fd)
    except OSError:
        return b""


def end(path: str, limit: int) -> bytes:
    """The last `limit` bytes of a file."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return b""
    return beginning(path, limit, max(0, size - limit))
