"""Files with nothing in them: 0 bytes, or nothing but NUL."""

from __future__ import annotations

import os

from memcli.errors import CannotRead
from memcli.storage.reading import open_regular

CHUNK = 1 << 20


def is_blank(path: str) -> bool:
    """Whether a file holds no byte but NUL and white space; False for one that cannot be read."""
    try:
        fd = open_regular(path)
    except CannotRead:
        return False
    try:
        place = 0
        while piece := os.pread(fd, CHUNK, place):
            if piece.strip(b"\0 \t\r\n"):
                return False
            place += len(piece)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
