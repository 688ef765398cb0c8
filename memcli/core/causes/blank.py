"""Files with nothing in them: 0 bytes, or nothing but NUL."""

from __future__ import annotations

import os

from memcli.core.causes.peeking import beginning

CHUNK = 1 << 20


def is_blank(path: str) -> bool:
    """Whether a file holds no byte but NUL and white space; False for one that cannot be read."""
    place = 0
    while piece := beginning(path, CHUNK, place):
        if piece.strip(b"\0 \t\r\n"):
            return False
        place += len(piece)
    return os.path.isfile(path) and os.path.getsize(path) == place
