"""Pieces of files that may be gone, unreadable, or no files at all: then they are empty."""

from __future__ import annotations

import os

from memcli.core.drafts import read_at
from memcli.errors import CannotRead


def beginning(path: str, limit: int, offset: int = 0) -> bytes:
    """At most `limit` bytes of a file from the byte `offset` on."""
    try:
        return read_at(path, offset, limit)
    except (CannotRead, OSError):
        return b""


def end(path: str, limit: int) -> bytes:
    """The last `limit` bytes of a file."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return b""
    return beginning(path, limit, max(0, size - limit))
