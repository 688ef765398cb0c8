"""The state of a session, from one definition that listings, doctor, compact and dream share (docs/session-states.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeGuard

from memcli import settings
from memcli.core import sealing
from memcli.core.rows import place, read
from memcli.core.turns import KEEP
from memcli.errors import CannotRead, ConfigurationError, RefusedForSafety
from memcli.formats import habits, load, rules
from memcli.model import NOTHING, SessionRef
from memcli.storage import row_archive
from memcli.storage.reading import open_regular

LIVE, IDLE, ENDED, ARCHIVED, UNREADABLE = STATES = ("live", "idle", "ended", "archived", "unreadable")
TABLE = "sessions"
SECONDS, MINUTES = "live_for", "ended_after"
"""Settings of the table [sessions]: seconds since the last change, minutes of silence."""
MOST = 366 * 24 * 60
AHEAD = 24 * 3600.0
"""Seconds: a time that is further in the future tells of a wrong clock, and not of somebody who is talking; one that is nearer
may be of another time zone, or of a clock that was set back a little."""


class Limits(NamedTuple):
    """Seconds since the last change: up to `live` somebody is taken to be talking, from `ended` on nobody is coming back."""

    live: float = 60.0
    ended: float = 45 * 60.0


class Marks(NamedTuple):
    """What a session says of itself. `closed`: a person ended it. `summarised`: how many rows, from the first, a summary stands
    for; `taken`: rows were taken out of the file before."""

    closed: bool = False
    summarised: int = 0
    taken: bool = False


class Facts(NamedTuple):
    """All that a state depends on. `changed` is the time of the last change in epoch seconds (the later of the file's and that
    of the last row); `closed` tells that a person ended the chat; `marked` that a summary stands for rows of it, or that some
    went to the archive; `left` counts the rows that no summary stands for."""

    changed: float
    readable: bool = True
    closed: bool = False
    marked: bool = False
    left: int = 0


DEFAULT = Limits()


def state(facts: Facts, now: float, limits: Limits = DEFAULT) -> str:
    """One of STATES. Archived is a chat that has ended and of which a summary stands for all but the last rows."""
    if not facts.readable:
        return UNREADABLE
    silence = now - facts.changed
    if silence < -AHEAD:
        silence = limits.ended
    if not facts.closed and silence < limits.live:
        return LIVE
    if not facts.closed and silence < limits.ended:
        return IDLE
    return ARCHIVED if facts.marked and facts.left <= KEEP else ENDED


def latest(times: Iterable[float], now: float) -> float:
    """The last of the times at which a session was changed (epoch seconds), without those that are so far in the future that they
    tell of a wrong clock; the last of all where there are no others."""
    found = list(times)
    return max((one for one in found if one - now <= AHEAD), default=max(found, default=0.0))


def limits() -> Limits:
    """The limits of the configuration: `live_for` seconds and `ended_after` minutes in [sessions]. Raises ConfigurationError."""
    table = settings.configuration(TABLE)
    for key in table:
        if key not in (SECONDS, MINUTES):
            raise ConfigurationError(f"[{TABLE}] has no setting {key!r}; there are {SECONDS}, {MINUTES}.")
    live = _number(table, SECONDS, DEFAULT.live, MOST * 60)
    ended = _number(table, MINUTES, DEFAULT.ended / 60, MOST) * 60
    if live > ended:
        raise ConfigurationError(
            f"{TABLE}.{SECONDS} is {live:g} seconds and {TABLE}.{MINUTES} only {ended / 60:g} minutes: "
            "a chat cannot end while it is live."
        )
    return Limits(live, ended)


def facts(marks: Marks, rows: int, changed: float, *, readable: bool = True, archived: int = 0) -> Facts:
    """What the state of a session of `rows` rows depends on; `archived` of its rows are in memcli's archive."""
    left = max(0, rows - marks.summarised)
    return Facts(changed, readable, marks.closed, bool(marks.summarised or marks.taken or archived), left)


Marker = Callable[[Mapping[str, Any], int, Any], Marks]


def marks(agent: str, era: str, header: Mapping[str, Any], rows: int, first: Any = None) -> Marks:
    """What the header of a session and its `first` record tell, both as decoded ({}, None where there is none)."""
    return marker(agent, era)(header, rows, first)


def marker(agent: str, era: str) -> Marker:
    """The same as a function of header, number of rows and first record, for many sessions in a row."""
    rule, habit = rules(agent, era).ROWS, habits(agent)

    def tell(header: Mapping[str, Any], rows: int, first: Any) -> Marks:
        summarised = 0
        for name in rule.offsets:
            offset = header.get(name)
            if _counts(offset, rows):
                summarised = offset
                break
        taken = habit.taken_out(header, rows, era) if header else None
        gone = rule.discarded is not None and first is not None and rule.discarded(first) > 0
        closed = not rows and habit.ended(header)
        return Marks(closed, max(summarised, int(gone)), gone or (taken is not None and taken.sure))

    return tell


def of(ref: SessionRef, changed: float, now: float, limits: Limits = DEFAULT, archived: int | None = None) -> str:
    """The state of a session as its file tells it; no more of that is parsed than its beginning. `archived` as in `facts`, None
    to look it up."""
    try:
        fd = open_regular(ref.path)
    except CannotRead:
        return UNREADABLE
    try:
        rows = count(fd, ref.agent)
        header, first = beginning(fd, ref.agent, ref.workspace.era)
    finally:
        os.close(fd)
    found = marks(ref.agent, ref.workspace.era, header, rows, first)
    kept = in_archive(ref) if archived is None else archived
    return state(facts(found, rows, changed, archived=kept), now, limits)


def count(fd: int, agent: str) -> int:
    """How many rows an open session file has, counted at memory speed."""
    size = os.fstat(fd).st_size
    ended = not size or os.pread(fd, 1, size - 1) == b"\n"
    return place(fd, load(agent), size)[1] - ended


def in_archive(ref: SessionRef) -> int:
    """How many rows of a session are in memcli's archive."""
    try:
        found = row_archive.of(sealing.store(ref.workspace), ref.path)
    except RefusedForSafety:  # the state folder is another user's
        return 0
    return found.rows if found else 0


def beginning(fd: int, agent: str, era: str) -> tuple[Mapping[str, Any], Any]:
    """The header that counts ({}: there is none) and the first record behind it, None where none can be read."""
    form, needs = load(agent), rules(agent).header_rules(era)
    header: Mapping[str, Any] = NOTHING
    for row in read(fd, form):
        if row.number:
            return header, row.decoded.values[0] if row.decoded.values else None
        for value in row.decoded.values:
            if form.records.header(value) is not None and (not header or (needs and needs.last_wins)):
                header = value
    return header, None


def tally(found: Iterable[str]) -> dict[str, int]:
    """How many sessions are in each state, those that none is in left out."""
    counts = dict.fromkeys(STATES, 0)
    for one in found:
        counts[one] += 1
    return {name: count for name, count in counts.items() if count}


def _counts(value: Any, rows: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= rows


def _number(table: Mapping[str, Any], key: str, default: float, most: float) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{TABLE}.{key} is a number, and not {value!r}.")
    if not 0 <= value <= most:
        raise ConfigurationError(f"{TABLE}.{key} is a number from 0 to {most:,}, and {value} is not.")
    return float(value)
