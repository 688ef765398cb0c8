"""The whole workspace at a glance: one verification, and every check over what it found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memcli.core import checks, discovering, listing, states, verifying
from memcli.core.checks.framework import STATES, Case, Check
from memcli.core.listing import SessionRow
from memcli.core.verifying import Looked, Scope, Summary
from memcli.model import NOTHING, Finding, Workspace


class Seen(NamedTuple):
    """What was counted in a workspace; `states` is how many sessions are in which state (core/states.py)."""

    sessions: int
    rows: int
    journals: int
    memories: int
    states: Mapping[str, int] = NOTHING


class Overview(NamedTuple):
    """One workspace: its lines, what hurts most first, those with nothing to say last."""

    workspace: Workspace
    seen: Seen
    checks: tuple[Check, ...]


class Checked(NamedTuple):
    """Every workspace, the one that is worst off first; `unchecked` are sentences, `failed` tells that a file could not be
    read."""

    overviews: tuple[Overview, ...]
    unchecked: tuple[str, ...]
    failed: bool


def scope(named: list[str] | None, agent: str | None) -> Scope:
    """The workspaces that are meant."""
    return Scope(discovering.find(named, agent))


def check(
    scope: Scope,
    named: bool,
    agent: str | None = None,
    *,
    tz: str = "",
    progress: Callable[[int], None] | None = None,
) -> Checked:
    """Look over the workspaces. Changes nothing. `named` tells that the user named them: then commands do, too."""
    pending: list[Finding] = []
    cases: list[Case] = []

    def looked(one: Looked) -> None:
        options = _options(one.workspace, named or len(scope.workspaces) > 1, agent)
        cases.append(checks.case(one, pending, options, tz))
        pending.clear()

    summary: Summary | None = None
    now, limits = time.time(), states.limits()
    for item in verifying.verify(scope, tz=tz, progress=progress, looked=looked):
        if isinstance(item, Summary):
            summary = item
        else:
            pending.append(item)
    assert summary is not None
    overviews = [Overview(case.workspace, _seen(case, now, limits), tuple(checks.overview(case))) for case in cases]
    overviews.sort(key=lambda one: STATES.index(one.checks[0].state))
    return Checked(tuple(overviews), summary.unchecked, summary.failed)


def _options(workspace: Workspace, named: bool, agent: str | None) -> Sequence[str]:
    """The words that name a workspace in a command: none where the command finds it by itself as this one did."""
    words = ["--agent", agent] if agent else []
    place = next(iter(workspace.files), "") or workspace.root
    shown = workspace.shown or place
    return [*words, "-W", shown] if named else words


def _seen(case: Case, now: float, limits: states.Limits) -> Seen:
    journals = {one.path for one in case.snapshot.journals if one.snapshot is not None}
    chats = [one.path for one in case.snapshot.sessions if one.path not in journals]
    memories = sum(file.kind == "memory" for file in case.snapshot.files)
    rows = [row for row in listing.sessions([case.workspace], case.tz) if row.file not in journals]
    found = states.tally(_state(row, case.workspace, now, limits) for row in rows)
    return Seen(len(chats), case.records, len(journals), memories, found)


def _state(row: SessionRow, workspace: Workspace, now: float, limits: states.Limits) -> str:
    try:
        changed = states.latest((row.updated, os.stat(row.file).st_mtime), now)
    except OSError:
        return states.UNREADABLE
    return states.of(listing.reference(row, [workspace]), changed, now, limits)
