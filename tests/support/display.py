"""How wide text is on a terminal, reckoned apart from the code under test."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def width(line: str) -> int:
    """Columns that a line takes; colours take none."""
    plain = COLOUR.sub("", line)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in plain)
