"""Which sessions a listing shows: filters, order, limit, and the whole-file reading of --long."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memcli import times
from memcli.core import listing
from memcli.core.listing import Row, SessionRow, Written
from memcli.core.rows import size_of
from memcli.errors import CannotRead
from memcli.model import Workspace

if TYPE_CHECKING:
    from memcli.core.states import Limits


class Choice(NamedTuple):
    """What `sessions ls` was asked for; `sort` is updated, created, size or key."""

    sort: str = "updated"
    limit: int | None = None
    since: str | None = None
    until: str | None = None
    damaged: bool = False
    long: bool = False
    tz: str = ""


def choose(
    workspaces: list[Workspace], choice: Choice, progress: Callable[[int], None] | None = None
) -> list[SessionRow]:
    """The rows to show, in order. With `long`, each file is read whole; `progress` is told the bytes read so far."""
    if not choice.long:
        return _first(_between(listing.sessions(workspaces, choice.tz), choice, time.time()), choice)
    from memcli.core import states

    now, limits = time.time(), states.limits()
    rows = _between(listing.sessions(workspaces, choice.tz), choice, now)
    return _first(_deepened(rows, workspaces, choice.tz, now, limits, progress), choice)


def choose_written(workspaces: list[Workspace], choice: Choice, render: listing.Render) -> list[Written]:
    """The same, without `long`, as lines that `render` makes."""
    return _first(_between(listing.written(workspaces, render, choice.tz), choice, time.time()), choice)


def bytes_of(workspaces: list[Workspace]) -> int:
    """How many bytes all sessions have together."""
    return sum(size_of(path) or 0 for workspace in workspaces for path in listing.paths(workspace))


def _between(rows: list[Row], choice: Choice, now: float) -> list[Row]:
    if choice.since:
        start = times.since(choice.since, now, choice.tz)
        rows = [row for row in rows if row.updated >= start]
    if choice.until:
        end = times.until(choice.until, now, choice.tz)
        rows = [row for row in rows if row.updated <= end]
    return rows


def _first(rows: list[Row], choice: Choice) -> list[Row]:
    if choice.damaged:
        rows = [row for row in rows if row.damage]
    if choice.sort == "size":
        rows.sort(key=lambda row: -row.size)
    elif choice.sort == "key":
        rows.sort(key=lambda row: row.key)
    elif choice.sort == "created":
        rows.sort(key=lambda row: -(times.parse(row.created_at, choice.tz) or 0.0))
    return rows if choice.limit is None else rows[: choice.limit]


def _deepened(
    rows: list[SessionRow],
    workspaces: list[Workspace],
    tz: str,
    now: float,
    limits: Limits,
    progress: Callable[[int], None] | None,
) -> list[SessionRow]:
    done = 0
    deep = []
    for row in rows:
        before = done

        def report(position: int, before: int = before) -> None:
            if progress:
                progress(before + position)

        deep.append(_whole(row, workspaces, tz, now, limits, report))
        done += row.size
        if progress:
            progress(done)
    return deep


def _whole(
    row: SessionRow,
    workspaces: list[Workspace],
    tz: str,
    now: float,
    limits: Limits,
    report: Callable[[int], None],
) -> SessionRow:
    """`row` with what reading the whole file adds: messages, tokens, state, and the damage of every line."""
    from memcli.core import states, surveying

    ref = listing.reference(row, workspaces)
    try:
        seen = surveying.survey(ref, tz=tz, progress=report)
        changed = states.latest((row.updated, os.stat(row.file).st_mtime), now)
    except (CannotRead, OSError):  # it became unreadable, or always was: the row says so
        return row._replace(checked="all", state="unreadable", damage=row.damage or ("unreadable",))
    readable = seen.readable or not seen.rows
    state = states.of(ref, changed, now, limits) if readable else states.UNREADABLE
    damage = tuple(dict.fromkeys([*row.damage, *seen.damage]))
    return row._replace(checked="all", messages=seen.readable, tokens=seen.tokens, state=state, damage=damage)
