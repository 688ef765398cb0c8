"""How users look: folders, what is kept of each, and the names that an id gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.dream.users import User, as_json
from memcli.output import Printer
from memcli.output.columns import Column


def write(printer: Printer, users: Sequence[User]) -> int:
    """Write the users; 0, or 1 when there is nobody."""
    columns = [
        Column("USER", least=16),
        Column("ENTRIES", right=True, least=7, drop=2),
        Column("PENDING", right=True, least=7, drop=1),
        Column("MEMORY", least=12, front=True, drop=3),
        Column("FOLDER", least=12, front=True),
    ]

    def numbers(one: User) -> list[str]:
        return ["" if value is None else str(value) for value in (one.entries, one.pending)]

    count = printer.rows(
        columns,
        users,
        cells=lambda one: [one.folder, *numbers(one), one.memory or "", one.path],
        fields=lambda one: [one.folder, one.path, one.memory or "", *numbers(one)],
        as_json=as_json,
    )
    if not count:
        printer.note("Nothing is kept of any user.")
    return 0 if count else 1


def names(printer: Printer, user: str, found: Sequence[tuple[str, str]]) -> None:
    """Write the names of folders that an id gives."""

    def value(one: tuple[str, str]) -> dict[str, Any]:
        return {"type": "user-folder", "agent": one[0], "user": user, "folder": one[1]}

    printer.rows(
        [Column("FOLDER", least=16), Column("AGENT", least=8)],
        found[:1],
        cells=lambda one: [one[1], one[0]],
        fields=lambda one: [one[1], one[0]],
        as_json=value,
    )
