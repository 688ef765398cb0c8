"""How `seal` tells what it sealed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.core.sealing import Unsealed
from memcli.output import Printer
from memcli.output.columns import Column, size_words
from memcli.output.words import many
from memcli.storage.seals import Sealed


def as_json(sealed: Sealed) -> dict[str, Any]:
    """The documented JSON object of one sealed file."""
    return {"type": "seal", "path": sealed.path, "lines": sealed.lines, "size": sealed.size}


def write(printer: Printer, results: Iterable[Sealed | Unsealed]) -> int:
    """Write a row for each sealed file, tell of the others on stderr; the exit code."""
    done: list[Sealed] = []
    failed = 0
    for one in results:
        if isinstance(one, Sealed):
            done.append(one)
        else:
            failed += 1
            printer.note(f"Not sealed: {one.path}: {one.why}.")
    columns = [Column("LINES", right=True), Column("SIZE", right=True), Column("FILE", least=16)]
    printer.rows(
        columns,
        done,
        cells=lambda one: [f"{one.lines:,}", size_words(one.size), one.path],
        fields=lambda one: [str(one.lines), str(one.size), one.path],
        as_json=as_json,
    )
    printer.note(f"Sealed {many(len(done), 'file')}.")
    return 3 if failed else 0
