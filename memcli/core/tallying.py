"""What the edits of a finding mean in rows: how many come back, how many go, and what numbers that count rows must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memcli.core.examining import Hit
from memcli.core.moving import Change
from memcli.core.reconstructing import MARK
from memcli.damage.snapshots import LineSnapshot
from memcli.model import Edit
from memcli.storage.decode import decode

ALONE_LOST = ("broken-record", "invalid-utf8")
"""Lines that held one record when they were written, whatever is left of it."""


def changes(hit: Hit, edits: Sequence[Edit]) -> Iterator[Change]:
    """What the rows count that a finding's edits touch, before and afterwards."""
    snapshot: Any = hit.snapshot
    if isinstance(snapshot, LineSnapshot):
        if snapshot.row:
            verdict = snapshot.judged
            recovered, lost = counted(hit, edits)
            written = recovered + (lost if verdict.fragments or hit.finding.code in ALONE_LOST else 0)
            yield Change(snapshot.row, (written, recovered), (verdict.before, recovered))
    elif hit.module.SCOPE == "rows":
        yield from row_changes(edits)


def row_changes(edits: Sequence[Edit]) -> Iterator[Change]:
    """The same for edits of whole rows."""
    for edit in edits:
        if edit.records > 0:
            yield Change(edit.row, (0, 0), (0, 0), edit.records)
        elif edit.records < 0:
            yield Change(edit.row, (1, 0), (1, 0))


def counted(hit: Hit, edits: Sequence[Edit]) -> tuple[int, int]:
    """(records that a finding's edits make whole, records or lines that they take out)."""
    snapshot: Any = hit.snapshot
    if isinstance(snapshot, LineSnapshot):
        verdict = snapshot.judged
        filled = sum(edit.replacement.count(MARK.encode()) for edit in edits)
        lost = len(verdict.fragments) if verdict.records else 0 if _is_converted(hit, edits) else 1
        if verdict.lines > 1:  # of conflicting versions, rows that both have stay once
            lines = snapshot.text(0, verdict.length).split(b"\n")
            lost += max(0, sum(len(decode(line).values) for line in lines) - verdict.records)
        whole = sum(edit.records for edit in edits) + verdict.before - filled if snapshot.row else 0
        return whole + filled, lost - filled
    if hit.module.SCOPE == "whole":
        return sum(edit.records for edit in edits), 0
    moved = hit.module.SCOPE == "header" and any(not edit.length and not edit.offset for edit in edits)
    recovered = sum(1 for edit in edits if edit.replacement)
    return recovered, max(0, sum(-edit.rows for edit in edits if edit.rows < 0) - moved)


def _is_converted(hit: Hit, edits: Sequence[Edit]) -> bool:
    """Whether a line of another encoding became a record."""
    return hit.finding.code == "invalid-utf8" and any(edit.replacement for edit in edits)
