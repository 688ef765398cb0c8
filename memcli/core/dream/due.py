"""Whether a Dream is due, by how much waits and how long ago the last one was."""

from __future__ import annotations

from typing import NamedTuple

from memcli.core.dream.wishes import Triggers
from memcli.core.states import AHEAD


class Due(NamedTuple):
    """Whether it is due, and why or why not, in a clause."""

    now: bool
    why: str


def due(triggers: Triggers, *, entries: int, characters: int, last: float | None, now: float) -> Due:
    """Whether `entries` that wait, of so many `characters`, are due; `last` is when the last Dream ended (epoch seconds, None
    for never). A clock that was set back a little counts as no time gone by; with a time far in the future nothing is known
    of the last."""
    if not entries:
        return Due(False, "nothing waits")
    if last is None:
        return Due(True, "there was no Dream yet")
    if last - now > AHEAD:
        return Due(True, "the last was in the future, by a clock that was wrong")
    gone = max(0.0, now - last) / 60
    if gone >= triggers.minutes:
        return Due(True, f"the last was {_minutes(gone)} ago")
    if characters >= triggers.characters:
        return Due(True, f"{characters:,} characters wait")
    if entries >= triggers.records and gone >= triggers.records_minutes:
        return Due(True, f"{entries:,} records wait and the last was {_minutes(gone)} ago")
    if entries >= triggers.records:
        return Due(False, f"{entries:,} records wait, due {_minutes(triggers.records_minutes - gone)} from now")
    return Due(False, f"the last was {_minutes(gone)} ago, due {_minutes(triggers.minutes - gone)} from now")


def _minutes(number: float) -> str:
    if number >= 2880:
        return f"{number / 1440:.0f} days"
    if number >= 120:
        return f"{number / 60:.0f} hours"
    whole = max(0, round(number))
    return "1 minute" if whole == 1 else f"{whole} minutes"
