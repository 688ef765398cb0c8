"""The state of a session, from one definition."""

from __future__ import annotations

LIVE = 60.0
"""Seconds since the last change during which somebody is taken to be talking."""
ENDED = 45 * 60.0
"""Seconds of silence after which a session has ended."""


def state(*, readable: bool, changed: float, now: float) -> str:
    """`unreadable`, `live`, `idle` or `ended`, from the time of the last change (the later of mtime and last row)."""
    if not readable:
        return "unreadable"
    silence = now - changed
    if silence < LIVE:
        return "live"
    return "idle" if silence < ENDED else "ended"
