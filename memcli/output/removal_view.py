"""How `sessions rm` shows what goes, what goes with it and what stays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from memcli.core import sealing
from memcli.core.removing import Removal, Removed
from memcli.output import Printer, say
from memcli.output.columns import Column, size_words
from memcli.output.safe_text import cell
from memcli.output.words import many

ASKED = 8
"""So many sessions are named in the question."""


class _Row(NamedTuple):
    what: str
    state: str
    operation: str
    removal: Removal
    path: str
    size: int | None


def as_json(removal: Removal, state: str, operation: str) -> dict[str, Any]:
    """The documented JSON object of one session that is removed."""
    return {
        "type": "removal",
        "state": state,
        "id": operation or None,
        "key": removal.ref.key,
        "agent": removal.ref.agent,
        "path": removal.ref.shown,
        "rows": removal.rows,
        "size": removal.version.size,
        "sha256": removal.version.sha256,
        "sidecars": [one.path for one in removal.sidecars],
        "left": removal.left,
    }


def question(removals: Sequence[Removal]) -> str:
    """What is asked before anything is removed."""
    lines = [cell(f"{one.ref.key}  {many(one.rows, 'row')}  {one.ref.shown}") for one in removals[:ASKED]]
    if len(removals) > ASKED:
        lines.append(f"and {len(removals) - ASKED:,} more")
    beside = sum(len(one.sidecars) for one in removals)
    more = f" and {many(beside, 'file')} beside" if beside else ""
    return "\n".join([*lines, f"Remove {many(len(removals), 'session')}{more}? undo brings all back."])


def write(printer: Printer, removals: Sequence[Removal], done: Sequence[Removed]) -> int:
    """Write what went, or would go when nothing was `done`; the exit code."""
    states = {sealing.store(one.workspace).id: one for one in done}
    rows: list[_Row] = []
    for removal in removals:
        one = states.get(sealing.store(removal.ref.workspace).id)
        state = "planned" if one is None else "removed" if one.id else "refused"
        operation = one.id if one else ""
        if printer.json:
            value = as_json(removal, state, operation)
            if printer.wants(value):
                printer.row(value)
            continue
        rows.append(_Row("session", state, operation, removal, removal.ref.shown, removal.version.size))
        rows += [_Row("sidecar", state, operation, removal, *_sized(one)) for one in removal.sidecars]
        rows += [_Row("left", "left", "", removal, path, None) for path in removal.left]
    if not printer.json:
        printer.rows(
            [
                Column("STATE", least=7),
                Column("KEY", least=12),
                Column("ROWS", right=True, drop=2),
                Column("SIZE", right=True, drop=1),
                Column("FILE", least=16),
            ],
            rows,
            cells=_cells,
            fields=_fields,
            as_json=lambda row: as_json(row.removal, row.state, row.operation),
        )
    for one in done:
        for sentence in one.refused:
            say(f"memcli: {sentence}")
    for one in done:
        if one.id:
            printer.note(f"Undo: memcli undo {one.id}")
    return 4 if any(one.refused for one in done) else 0


def _sized(one: Any) -> tuple[str, int]:
    return one.path, one.version.size


def _cells(row: _Row) -> list[str]:
    state = (
        "beside" if row.what == "sidecar" and row.state == "removed" else "stays" if row.what == "left" else row.state
    )
    rows = f"{row.removal.rows:,}" if row.what == "session" else ""
    size = "" if row.size is None else size_words(row.size)
    return [state, row.removal.ref.key, rows, size, os.path.basename(row.path)]


def _fields(row: _Row) -> list[str]:
    rows = str(row.removal.rows) if row.what == "session" else ""
    size = "" if row.size is None else str(row.size)
    return [row.what, row.state, row.operation, row.removal.ref.key, rows, size, row.path]
