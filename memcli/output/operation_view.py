"""How operations look: those that can be undone, what undoing did, and what memcli keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.stores import Kept
from memcli.core.undoing import Operation
from memcli.output import Printer
from memcli.output.columns import Column, size_words
from memcli.output.words import many
from memcli.storage.state import KINDS, Usage
from memcli.storage.undo import Record

REVERSED = {"create": "removed", "remove": "brought back", "rewrite": "restored", "chmod": "mode restored"}
"""What undoing a change makes of its file."""


def as_json(one: Operation, kind: str = "operation") -> dict[str, Any]:
    """The documented JSON object of an operation."""
    record = one.record
    return {
        "type": kind,
        "id": record.id,
        "time": record.time,
        "what": record.what,
        "agent": record.agent or None,
        "workspace": one.store.root or None,
        "command": list(record.command),
        "files": [{"path": change.path, "change": change.kind} for change in record.changes],
        "quarantined": record.pieces,
        "quarantined_bytes": record.pieces_bytes,
        "undoes": record.undoes or None,
        "undone_by": record.undone_by or None,
        "commits": [
            {"repository": one.folder, "commit": one.id or None, "why": one.why or None} for one in record.commits
        ],
        "note": record.note or None,
    }


def listing(printer: Printer, operations: Sequence[Operation]) -> None:
    """Write the operations that are kept, newest first."""
    columns = [
        Column("OPERATION", least=18),
        Column("TIME", least=16, drop=4),  # the id begins with it
        Column("WHAT", least=14, drop=1),
        Column("FILES", right=True, least=5, drop=3),
        Column("STATE", least=8, drop=2),
        Column("FILE", least=12, front=True),
    ]

    def cells(one: Operation) -> list[str]:
        record = one.record
        time = record.time[:16].replace("T", " ")
        return [record.id, time, record.what, str(len(record.changes)), _state(record), _first(record)]

    def fields(one: Operation) -> list[str]:
        record = one.record
        return [record.id, record.time, record.what, str(len(record.changes)), _state(record), _first(record)]

    printer.rows(columns, operations, cells=cells, fields=fields, as_json=as_json)
    if not operations:
        printer.note("No operations are kept.")


def undone(printer: Printer, chosen: Operation, reversal: Record) -> None:
    """Write what became of each file, and how to undo that."""
    record = chosen.record
    kinds = {change.path: REVERSED.get(change.kind, "line taken out") for change in record.changes}
    printer.rows(
        [Column("STATE"), Column("FILE", least=16)],
        reversal.changes,
        cells=lambda change: [kinds[change.path], change.path],
        fields=lambda change: [reversal.id, kinds[change.path], change.path],
        as_json=lambda change: {
            "type": "operation",
            "id": reversal.id,
            "undoes": record.id,
            "path": change.path,
            "state": kinds[change.path],
        },
    )
    files = many(len(reversal.changes), "file")
    printer.note(f"Undone: the {record.what} {record.id}, {files} in {chosen.store.root}.")
    printer.note(f"Undo: memcli undo {reversal.id}")


def forgotten(printer: Printer, operations: Sequence[Operation]) -> None:
    """Write what was forgotten."""
    printer.rows(
        [Column("OPERATION", least=18), Column("WHAT", drop=1), Column("WORKSPACE", least=16)],
        operations,
        cells=lambda one: [one.record.id, one.record.what, one.store.root],
        fields=lambda one: [one.record.id, one.record.what, one.store.root],
        as_json=lambda one: as_json(one, "forgotten"),
    )
    printer.note(f"{many(len(operations), 'operation')} forgotten; quarantine is kept.")


def kept_json(one: Kept, kind: str = "store") -> dict[str, Any]:
    """The documented JSON object of what is kept for a workspace."""
    usage = {kind: one.usage.get(kind, Usage(0, 0)) for kind in KINDS}
    return {
        "type": kind,
        "id": one.store.id,
        "workspace": one.store.root or None,
        "exists": one.there,
        "folder": one.store.folder,
        "bytes": one.bytes,
        "deleted": one.deleted,
        **{kind: value._asdict() for kind, value in usage.items()},
    }


def kept(printer: Printer, stores: Sequence[Kept], kind: str = "store") -> None:
    """Write what is kept for each workspace."""
    shown = ("undo", "quarantine", "seals", "archive")
    later = ("dreams", "inbox", "git")  # behind the columns that scripts know

    def sizes(one: Kept, words: bool, kinds: Sequence[str] = shown) -> list[str]:
        values = [one.usage.get(kind, Usage(0, 0)).bytes for kind in kinds]
        return [size_words(value) if words else str(value) for value in values]

    def place(one: Kept) -> str:
        return one.store.root or "(unknown)"

    printer.rows(
        [
            Column("STORE", least=8, drop=1),
            *(Column(kind.upper(), right=True, least=len(kind), drop=2 + number) for number, kind in enumerate(shown)),
            Column("DELETED", right=True, least=7, drop=10),
            Column("WORKSPACE", least=16),
            *(Column(kind.upper(), right=True, least=len(kind), drop=7 + number) for number, kind in enumerate(later)),
        ],
        stores,
        cells=lambda one: [
            one.store.id,
            *sizes(one, True),
            str(one.deleted or ""),
            place(one) + ("" if one.there else " (gone)"),
            *sizes(one, True, later),
        ],
        fields=lambda one: [one.store.id, *sizes(one, False), str(one.deleted), place(one), *sizes(one, False, later)],
        as_json=lambda one: kept_json(one, kind),
    )


def _first(record: Record) -> str:
    return record.changes[0].path if record.changes else ""


def _state(record: Record) -> str:
    if record.undone_by:
        return f"undone by {record.undone_by}"
    commit = next((one.id for one in record.commits if one.id), "")
    if commit:
        return f"commit {commit[:8]}"
    return f"undoes {record.undoes}" if record.undoes else "interrupted" if record.note else ""
