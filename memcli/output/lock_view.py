"""How locks look: a table on a terminal, columns in a pipe, documented rows with --json; storms in a sentence each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from memcli import times
from memcli.core import locking
from memcli.core.clearing import Cleared
from memcli.core.locking import Row, Storm
from memcli.model import Workspace
from memcli.output import Printer
from memcli.output.columns import Column
from memcli.output.words import duration, many
from memcli.storage.processes import Process

NAMED = 5
"""How many of those that wait are named."""


def write(printer: Printer, rows: Sequence[Row], workspaces: Sequence[Workspace], *, now: float) -> None:
    """Write the locks, then what there is to say about them: storms, what to do, what could not be seen."""
    crowded = any(row.waiting for row in rows)
    columns = [
        Column("STATE", least=5),
        Column("HOLDER", least=10, drop=1),
        Column("SINCE", least=16, drop=2),
        *([Column("WAIT", right=True, drop=3)] if crowded else []),
        Column("KIND", least=14, drop=4),
        Column("LOCK", least=20, front=True),
    ]

    def cells(row: Row) -> list[str]:
        waiting = [str(len(row.waiting)) if row.waiting else ""] if crowded else []
        return [row.state, _holder(row), _local(row.since), *waiting, row.kind, row.below]

    def fields(row: Row) -> list[str]:
        return [
            row.state,
            row.kind,
            str(row.holder.pid) if row.holder else "",
            row.holder.program if row.holder else "",
            "" if row.since is None else times.iso(row.since),
            ",".join(str(one.pid) for one in row.waiting),
            row.path,
            row.message,
        ]

    printer.rows(columns, rows, cells=cells, fields=fields, as_json=locking.as_json)
    storms = locking.storms(rows, now)
    unchecked = locking.unchecked()
    if printer.json:
        for value in (*map(locking.storm_json, storms), _summary(rows, unchecked)):
            if printer.wants(value):
                printer.row(value)
        return
    for storm in storms:
        printer.note(_storm(storm, now))
    _advise(printer, rows, workspaces)
    for sentence in unchecked:
        printer.note(f"Not checked: {sentence}.")


def cleared(printer: Printer, results: Sequence[Cleared]) -> None:
    """Write what became of each lock file, and how to undo it."""
    printer.rows(
        [Column("STATE"), Column("LOCK", least=16, front=True)],
        results,
        cells=lambda one: [one.state, one.row.path],
        fields=lambda one: [one.id, one.state, one.row.path],
        as_json=lambda one: {
            "type": "operation",
            "id": one.id or None,
            "path": one.row.path,
            "state": one.state,
            "pid": one.row.holder.pid if one.row.holder else None,
        },
    )
    if any(one.state == "gone" for one in results):
        printer.note("What is gone was cleared meanwhile: by its owner, or as left by a memcli that was killed.")
    for id in dict.fromkeys(one.id for one in results if one.id):
        printer.note(f"Undo: memcli undo {id}")


def _advise(printer: Printer, rows: Sequence[Row], workspaces: Sequence[Workspace]) -> None:
    if printer.terminal:
        for row in rows:
            if row.state == "unknown" or (row.state == "stale" and not row.clear):
                printer.note(row.message)
        held = sum(row.state == "alive" for row in rows)
        stale = sum(row.state == "stale" for row in rows)
        roots = ", ".join(dict.fromkeys(one.shown or one.root for one in workspaces[:3]))
        more = f" and {len(workspaces) - 3} more" if len(workspaces) > 3 else ""
        printer.note(f"{many(len(rows), 'lock')}, {held:,} held, {stale:,} stale, in {roots}{more}.")
    for agent in locking.without_locks(workspaces):
        printer.note(f"{agent} takes no locks: only who has its files open can be told.")
    left = [row for row in rows if row.clear]
    if left:
        from shlex import quote

        places = " ".join(f"-W {quote(root)}" for root in dict.fromkeys(row.workspace.root for row in left))
        them = "it" if len(left) == 1 else "them"
        printer.note(f"{many(len(left), 'lock file')} left behind. To remove {them}: memcli locks clear {places}")


def _storm(storm: Storm, now: float) -> str:
    row = storm.row
    who = f"{_named(row.holder)} holds {row.path}" if row.holder else f"{row.path} is held"
    since = f" since {_local(row.since)} ({duration(max(0, now - row.since))}) at the earliest" if row.since else ""
    shown = [_named(one) + _runs(one, now) for one in row.waiting[:NAMED]]
    more = f" and {len(row.waiting) - NAMED:,} more" if len(row.waiting) > NAMED else ""
    waits = "waits" if len(row.waiting) == 1 else "wait"
    return f"Lock storm: {who}{since}, and {len(row.waiting):,} {waits}: {', '.join(shown)}{more}."


def _named(one: Process) -> str:
    return f"{one.program} (process {one.pid})" if one.program else f"process {one.pid}"


def _runs(one: Process, now: float) -> str:
    return "" if one.started is None else f", running for {duration(max(0, now - one.started))}"


def _summary(rows: Sequence[Row], unchecked: Sequence[str]) -> dict[str, Any]:
    """The documented JSON object that ends the list."""
    counts = {state: sum(row.state == state for row in rows) for state in ("alive", "stale", "unknown", "free")}
    return {"type": "summary", "locks": len(rows), **counts, "unchecked": list(unchecked)}


def _holder(row: Row) -> str:
    if row.holder is None:
        return "" if row.state == "free" else "?"
    return f"{row.holder.program} {row.holder.pid}" if row.holder.program else str(row.holder.pid)


def _local(seconds: float | None) -> str:
    return "" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
