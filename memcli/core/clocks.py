"""Stored times of whole batches of rows as seconds since the epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

from memcli import times


def seconds_of(tz: str) -> Callable[[Sequence[Any]], Sequence[float]]:
    """The function that reads a batch of stored times, those without a zone in `tz`; NaN for what is no time."""
    from datetime import datetime

    parse = datetime.fromisoformat

    def seconds(stamps: Sequence[Any]) -> Sequence[float]:
        try:
            moments = list(map(parse, stamps))
            # without `tz` a time without zone is local, as timestamp() takes it
            if not tz or all(moment.tzinfo is not None for moment in moments):
                return [moment.timestamp() for moment in moments]
        except (TypeError, ValueError, OverflowError, OSError):
            pass
        return [_one(stamp, tz) for stamp in stamps]

    return seconds


def _one(stamp: Any, tz: str) -> float:
    if isinstance(stamp, bool) or not isinstance(stamp, str | int | float):
        return nan
    found = times.parse(str(stamp), tz)
    return nan if found is None else found
