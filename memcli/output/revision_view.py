"""How the history of memory looks: commits, differences and the source of lines; tables, columns, documented rows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memcli import times
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, Printer
from memcli.output.columns import Column
from memcli.output.safe_text import cell
from memcli.output.words import many

if TYPE_CHECKING:
    from memcli.core.revision_blame import BlamedLine
    from memcli.core.revision_diff import Difference
    from memcli.core.revision_log import Entry
    from memcli.storage.git_history import Commit, FileChange
    from memcli.storage.passages import Passage

SHORT = 8
"""Digits of a commit that people see."""


def log(printer: Printer, entries: Sequence[Entry]) -> int:
    """Write the commits; 0, or 1 when there is none."""
    several = len({entry.repository.folder for entry in entries}) > 1
    columns = [
        Column("COMMIT", least=SHORT),
        Column("TIME", least=16),
        Column("+", right=True, least=2, drop=3),
        Column("-", right=True, least=2, drop=3),
        Column("FILES", least=12, drop=4),
        *([Column("MEMORY", least=10, drop=2, front=True)] if several else []),
        Column("AUTHOR", least=8, drop=5),
        Column("SUBJECT", least=20),
    ]

    def cells(entry: Entry) -> list[str]:
        names = ", ".join(change.name.rpartition("/")[2] for change in entry.commit.changes)
        whose = [entry.repository.shown] if several else []
        come, gone = _total(entry.commit.changes)
        about = [entry.commit.author, entry.commit.subject]
        return [entry.commit.id[:SHORT], _local(entry.commit.time), come, gone, names, *whose, *about]

    count = printer.rows(columns, entries, cells=cells, fields=_fields, as_json=entry_json)
    return 0 if count else 1


def entry_json(entry: Entry) -> dict[str, Any]:
    """The documented JSON object of one commit."""
    return {
        "type": "commit",
        **commit_json(entry.commit, entry.kind),
        "said": entry.said or None,
        "body": entry.commit.body,
        "parents": list(entry.commit.parents),
        "repository": entry.repository.shown,
        "files": [{"path": one.name, "added": one.added, "removed": one.removed} for one in entry.files],
        "cursors": [moved._asdict() for moved in entry.cursors],
    }


def commit_json(commit: Commit, kind: str) -> dict[str, Any]:
    """What rows tell of a commit."""
    return {
        "commit": commit.id,
        "time": commit.time,
        "time_utc": times.utc(commit.time),
        "author": commit.author,
        "subject": commit.subject,
        "kind": kind or None,
        "trailers": commit.trailers,
    }


def diff(printer: Printer, found: Iterable[Difference]) -> int:
    """Write what differs, as a unified difference; how many passages."""
    count = 0
    before: tuple[str | None, str | None, str] | None = None
    for one in found:
        value = difference_json(one)
        if not printer.wants(value):
            continue
        count += 1
        if printer.json:
            printer.row(value)
            continue
        place = (one.old, one.new, one.passage.path)
        if place != before:
            path = cell(one.passage.path)
            printer.page(printer.paint(f"--- {path}\t{one.old[:SHORT] if one.old else 'nothing'}", BOLD))
            printer.page(printer.paint(f"+++ {path}\t{one.new[:SHORT] if one.new else 'on disk'}", BOLD))
        before = place
        passage(printer, one.passage)
    return count


def passage(printer: Printer, one: Passage) -> None:
    """Write one passage of a unified difference."""
    old, new = one.sizes
    printer.page(printer.paint(f"@@ -{one.old},{old} +{one.new},{new} @@", CYAN))
    for mark, line in one.lines:
        text = f"{mark}{line.decode('utf-8', 'replace')}"
        printer.page(printer.paint(text, *{"-": (RED,), "+": (GREEN,), "\\": (DIM,)}.get(mark, ("0",))))


def _origin(line: BlamedLine) -> str:
    """Where memcli took a line from: sessions with their rows, journals with the number of the entry."""
    found = []
    for source in line.sources:
        first, last = (source.get("rows") or (None, None))[:2]
        if source.get("session"):
            found.append(
                f"{source['session']} {'row' if first == last else 'rows'} {first}{'' if first == last else f'-{last}'}"
            )
        elif source.get("journal"):
            found.append(f"{source['journal']} entry {source.get('cursor')}")
    return "; ".join(dict.fromkeys(found))


def difference_json(one: Difference) -> dict[str, Any]:
    """The documented JSON object of one passage."""
    return passage_json(one.passage, one.old, one.new)


def passage_json(one: Passage, old: str | None, new: str | None) -> dict[str, Any]:
    """The same of a passage between two commits, or the files on disk."""
    words = {" ": "same", "-": "removed", "+": "added"}
    return {
        "type": "passage",
        "path": one.path,
        "old": old,
        "new": new,
        "old_line": one.old,
        "new_line": one.new,
        "lines": [
            {"change": words[mark], "text": line.decode("utf-8", "replace")}
            for mark, line in one.lines
            if mark in words
        ],
    }


def blame(printer: Printer, lines: Sequence[BlamedLine], path: str) -> None:
    """Write where each line comes from."""
    columns = [
        Column("COMMIT", least=SHORT),
        Column("DATE", least=10, drop=1),
        Column("BY", least=6, drop=2),
        *([Column("FROM", least=12, drop=3)] if (traced := any(line.sources for line in lines)) else []),
        Column("LINE", right=True, least=2),
        Column("TEXT", least=20),
    ]

    def cells(line: BlamedLine) -> list[str]:
        origin = [_origin(line)] if traced else []
        if line.commit is None:
            return ["-" * SHORT, "not yet", "", *origin, str(line.number), line.text]
        mark = "^" if line.boundary else ""
        by = line.kind or line.commit.author
        return [
            mark + line.commit.id[: SHORT - len(mark)],
            _local(line.commit.time)[:10],
            by,
            *origin,
            str(line.number),
            line.text,
        ]

    def fields(line: BlamedLine) -> list[str]:
        commit = line.commit
        about = (
            [commit.id, times.utc(commit.time) or commit.time, commit.author, commit.subject] if commit else [""] * 4
        )
        return [*about, str(line.number), line.text, _origin(line)]

    def as_json(line: BlamedLine) -> dict[str, Any]:
        about = dict.fromkeys(("commit", "time", "time_utc", "author", "subject", "kind", "trailers"))
        return {
            "type": "line",
            "path": path,
            "line": line.number,
            "text": line.text,
            **(commit_json(line.commit, line.kind) if line.commit else about),
            "was": line.was,
            "boundary": line.boundary,
            "sources": list(line.sources),
        }

    printer.rows(columns, lines, cells=cells, fields=fields, as_json=as_json)
    new = sum(line.commit is None for line in lines)
    if new:
        printer.note(f"{many(new, 'line')} of {path} {'is' if new == 1 else 'are'} in no commit yet.")


def _fields(entry: Entry) -> list[str]:
    commit = entry.commit
    files = ", ".join(_change(change) for change in entry.files)
    return [
        commit.id,
        times.utc(commit.time) or commit.time,
        commit.author,
        commit.subject,
        files,
        entry.kind,
        entry.repository.shown,
    ]


def _change(change: FileChange) -> str:
    if change.added is None or change.removed is None:
        return f"{change.name} binary"
    return f"{change.name} +{change.added} -{change.removed}"


def _total(changes: Sequence[FileChange]) -> tuple[str, str]:
    return str(sum(one.added or 0 for one in changes)), str(sum(one.removed or 0 for one in changes))


def _local(stamp: str) -> str:
    seconds = times.parse(stamp)
    return stamp if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
