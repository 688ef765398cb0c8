"""How `sessions ls` looks: a table on a terminal, columns in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memcli.core.listing import SessionRow, as_json, leftovers
from memcli.core.peeking import Members
from memcli.model import Workspace
from memcli.output import Printer, tab_line
from memcli.output.columns import Column, size_words
from memcli.output.words import many

NAMED = 5
"""How many leftover files are named."""


@contextmanager
def progress(printer: Printer, long: bool, total: int) -> Iterator[Callable[[int], None] | None]:
    """A bar for --long, which reads everything; nothing for the short listing, which is instant."""
    if not long:
        yield None
        return
    from memcli.output.rich_view import progress as bar

    with bar("reading sessions", total, printer.quiet) as report:
        yield report


def renderer(printer: Printer) -> Callable[[Members], bytes] | None:
    """What makes the line of a row for a pipe, in whatever process; None where rows are not simply columns."""
    if printer.terminal or printer.json or printer.keep is not None:
        return None
    encoding = printer.encoding
    return lambda row: tab_line(_fields(row), encoding)


def write(printer: Printer, rows: list[SessionRow], workspaces: list[Workspace], *, long: bool, tz: str) -> None:
    """Write the rows, then on a terminal one line that sums them up."""
    several = len({workspace.agent for workspace in workspaces}) > 1
    columns = [
        Column("UPDATED", least=16, drop=3),
        Column("KEY", least=26),
        *([Column("AGENT", least=8, drop=5)] if several else []),
        Column("SIZE", right=True, drop=7),
        *(
            [Column("MESSAGES", right=True, least=8, drop=2), Column("TOKENS", right=True, least=6, drop=8)]
            if long
            else []
        ),
        *([Column("STATE", least=5, drop=9)] if long else []),
        Column("DAMAGE", least=9, drop=1),
        Column("TITLE", least=14, drop=6),
    ]

    def cells(row: SessionRow) -> list[str]:
        return [
            (row.updated_at or "")[:16].replace("T", " ") or _changed(row),
            row.key,
            *([row.agent] if several else []),
            size_words(row.size),
            *([_number(row.messages), _number(row.tokens), row.state or ""] if long else []),
            ",".join(row.damage),
            _title(row),
        ]

    def fields(row: SessionRow) -> list[str]:
        deep = [_plain(row.messages), _plain(row.tokens), row.state or ""] if long else []
        return [*_fields(row)[:5], *deep, _title(row), row.path]

    printer.rows(columns, rows, cells=cells, fields=fields, as_json=lambda row: as_json(row, tz))
    if printer.terminal and not printer.json:
        printer.note(summary(rows, workspaces))
        left = [path for workspace in workspaces for path in leftovers(workspace)]
        for path in left[:NAMED]:
            printer.note(f"Left behind, and may hold rows: {path}")
        if len(left) > NAMED:
            printer.note(f"So may {many(len(left) - NAMED, 'more file')}.")


def summary(rows: list[SessionRow], workspaces: list[Workspace]) -> str:
    """`12 sessions (2 with damage) in ~/chats.`"""
    hurt = sum(1 for row in rows if row.damage)
    places = ", ".join(dict.fromkeys(w.shown or w.root for w in workspaces[:3]))
    more = f" and {len(workspaces) - 3} more" if len(workspaces) > 3 else ""
    return f"{many(len(rows), 'session')}{f' ({hurt} with damage)' if hurt else ''} in {places}{more}."


def _fields(row: Members) -> list[str]:
    agent, key, title, preview, _, updated_at, path, size, damage, _, _, why, _, _, _, _, _ = row
    words = f"({why})" if why else title or preview
    return [updated_at or "", key, agent, str(size), ",".join(damage), words, path]


def _title(row: SessionRow) -> str:
    return f"({row.why})" if row.why else row.title or row.preview


def _changed(row: SessionRow) -> str:
    import time

    return time.strftime("%Y-%m-%d %H:%M", time.localtime(row.updated)) if row.updated else ""


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _plain(value: int | None) -> str:
    return "" if value is None else str(value)
