"""The loss guard: no run takes more than a quarter out of a memory file, unless it was told that it may."""

from __future__ import annotations

import re
from collections import Counter

from memcli.errors import RefusedForSafety

MOST = 0.25
"""Which part of a file's lines, and of its bytes, may go."""


def check(old: bytes, new: bytes, allow: bool) -> None:
    """Raise RefusedForSafety when more than MOST of what `old` says is not in `new` any more. Moving it about, and other blanks,
    loses nothing; a line that was reworded is gone when less than half of its words are left anywhere."""
    if allow:
        return
    lines, there, gone, size = lost(old, new)
    if lines > MOST * there or gone > MOST * size:
        what = f"{lines} of {there} lines" if lines > MOST * there else f"{gone:,} of {size:,} bytes of text"
        raise RefusedForSafety(
            f"More than a quarter of a memory file would go ({what}), so that it was left as it is. --dry-run shows the change, "
            "--allow-loss makes it.",
            why="loss",
            lines=lines,
            bytes=gone,
        )


def lost(old: bytes, new: bytes) -> tuple[int, int, int, int]:
    """How many lines of `old` are gone in `new`, of how many, and the same of the bytes of words."""
    before, after = _lines(old), _lines(new)
    left = Counter(word for line in (after - before).elements() for word in _WORD.findall(line))
    lines = gone = 0
    for line in (before - after).elements():
        words = Counter(_WORD.findall(line))
        missing = words - left
        left -= words
        gone += _bytes(missing)
        lines += missing.total() * 2 > words.total() or not words
    return (
        lines,
        before.total(),
        gone,
        sum(count * _bytes(Counter(_WORD.findall(line))) for line, count in before.items()),
    )


def _lines(text: bytes) -> Counter[bytes]:
    return Counter(b" ".join(line.split()) for line in text.split(b"\n") if line.strip())


def _bytes(words: Counter[bytes]) -> int:
    return sum(len(word) * count for word, count in words.items())


_WORD = re.compile(rb"[0-9A-Za-z_]+|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]")
"""A word of letters, or one sign of another script."""
