"""How the log of unattended runs looks."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterable
from typing import Any

from memcli.output import Printer
from memcli.output.columns import Column


def write(printer: Printer, rows: Iterable[dict[str, Any]], last: int | None) -> None:
    """Write the runs, or the last so many."""
    kept = list(rows if last is None else deque(rows, maxlen=last))
    columns = [
        Column("TIME", least=20),
        Column("EXIT", right=True),
        Column("SECONDS", right=True, least=7, drop=3),
        Column("COMMAND", least=7),
        Column("OUTCOME", least=8, drop=2),
        Column("WHY", least=16, drop=1),
    ]
    count = printer.rows(columns, kept, cells=_fields, fields=_fields, as_json=lambda row: row)
    if not count:
        printer.note("No unattended run (--cron) left a line yet.")


def _fields(row: dict[str, Any]) -> list[str]:
    words = row.get("command")
    command = shlex.join(map(str, words)) if isinstance(words, list) else ""
    values = [row.get("time"), row.get("exit"), row.get("seconds")]
    told = ["" if value is None else str(value) for value in values]
    return [*told, command, str(row.get("outcome") or ""), str(row.get("why") or "")]
