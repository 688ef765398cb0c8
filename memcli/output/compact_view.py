"""How compact looks: the queue with each number, what a summary came to, and what was put away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memcli.core.compact.names import workspace_of
from memcli.core.compact.results import Compacted, Line, Refused, Result, Trimmed
from memcli.core.counts import reference
from memcli.core.naming import shown
from memcli.core.queue import Queued
from memcli.model import SessionRef, Workspace
from memcli.output import BOLD, DIM, GREEN, RED, YELLOW, Printer, say, undo_view
from memcli.output.columns import Column
from memcli.output.safe_text import cell
from memcli.output.words import duration, many
from memcli.storage import run_log

if TYPE_CHECKING:
    from memcli.core.landing import Landed

VERBS = {"compacted": "summarised", "planned": "would be summarised", "proposed": "proposed"}


class View:
    """Shows result after result; `code` is the exit code that all of them together come to."""

    def __init__(self, printer: Printer, *, forgiving: bool) -> None:
        """`forgiving`: a chat that is in use is no failure, and what went well is told in the log alone (unless rows of JSON are
        wanted): cron mails every word."""
        self.printer = printer
        self.forgiving = forgiving
        self.code = 0
        self.done = 0

    def show(self, results: Iterable[Result]) -> int:
        """Show the results as they come; the exit code."""
        for one in results:
            self.done += 1
            if not isinstance(one, Line):
                _log(one)
            if isinstance(one, Line):
                self._line(one)
            elif isinstance(one, Compacted):
                self._compacted(one)
            elif isinstance(one, Trimmed):
                self._trimmed(one)
            else:
                self._failed(one.why, one.code, one.busy)
        if not self.done:
            self.printer.note("No chat is to be compacted now; --dry-run shows each, and why not.")
        return self.code

    def _line(self, line: Line) -> None:
        columns = [
            Column("CHAT", least=22),
            Column("STATE", least=6, drop=3),
            Column("SILENT", right=True, least=7, drop=4),
            Column("ROWS", right=True),
            Column("LEFT", right=True),
            Column("SCORE", right=True, least=7, drop=5),
            Column("WHY", least=16),
        ]
        self.printer.rows(
            columns,
            line.queued,
            cells=lambda one: [
                one.session.key,
                one.state,
                duration(one.minutes * 60),
                f"{max(0, one.session.rows):,}",
                f"{one.left:,}",
                f"{one.score:,.0f}",
                one.why or "now",
            ],
            fields=lambda one: [
                one.reason or "chosen",
                one.session.key,
                one.state,
                f"{one.minutes:.1f}",
                str(one.session.rows),
                str(one.left),
                f"{one.score:.0f}",
                one.why,
            ],
            as_json=lambda one: candidate(one, line.workspace),
        )

    def _compacted(self, one: Compacted) -> None:
        if one.outcome == "error" and one.busy and self.forgiving:
            return  # the next run will find it free
        printer = self.printer
        if one.outcome != "nothing":
            self._rows([row_of(one), *points(one)])
        if printer.terminal and not printer.json and not self.forgiving and one.points:
            printer.page(printer.paint(cell(one.ref.key), BOLD))
            for point in one.points:
                printer.page(printer.paint(f"  + {cell(point.text)}", GREEN if point.verified else YELLOW))
                rows = f"row{'s' * (len(point.rows) != 1)} {', '.join(map(str, point.rows))}"
                printer.page(printer.paint(f"    {point.kind}{', not verified' * (not point.verified)}; {rows}", DIM))
            for item, why in one.landing.refused if one.landing else ():
                printer.page(printer.paint(f"  x {cell(item.category)} left out: {cell(why)}", RED))
        for sentence in one.notes:
            printer.note(sentence)
        if one.outcome in ("error", "failed"):
            self._failed(one.why, one.code, one.busy)
        elif one.outcome == "nothing":
            printer.note(f"{one.ref.key}: nothing was done: {one.why}.")
        else:
            maker = f"{one.provider} {one.model}".strip()
            checked = "" if one.summary is None or one.summary.verified else ", unverified"
            away = f", {many(one.removed, 'row')} put away" if one.removed else ""
            printer.note(
                f"{one.ref.key}: rows {one.first:,} to {one.last:,} {VERBS[one.outcome]} with {maker}{checked}: "
                f"{many(len(one.points), 'point')}, {many(one.stay, 'row')} stay{'s' * (one.stay == 1)}{away}."
            )
            self._memory(one)
            if one.proposal is not None:
                from memcli.core.causes.framework import command

                id = one.proposal.id
                printer.note(f"Review: {command(workspace_of(one.ref), 'proposals', 'show', id)}")
                printer.note(f"Write it: {command(workspace_of(one.ref), 'proposals', 'approve', id)}")
            if one.landed is not None:
                undo_view.undo(printer, workspace_of(one.ref), one.landed.record)

    def _memory(self, one: Compacted) -> None:
        landing = one.landing
        if landing is None:
            return
        for file in landing.files:
            verb = "added to" if one.outcome == "compacted" else "for"
            self.printer.note(f"{many(len(file.items), 'line')} {verb} {file.shown}.")
        if landing.known:
            self.printer.note(f"{many(len(landing.known), 'point')} the memory says already.")
        for item, path, number in landing.conflicts:
            self.printer.note(f"Not added to the memory, as {path}:{number} says something else: {item.text}")

    def _trimmed(self, one: Trimmed) -> None:
        if one.outcome == "error" and one.busy and self.forgiving:
            return
        printer = self.printer
        if one.outcome != "nothing":
            self._rows([trimmed_row(one)])
        if one.outcome == "error":
            self._failed(one.why, one.code, one.busy)
        elif one.outcome == "nothing":
            printer.note(f"{one.ref.key}: nothing was put away: {one.why}.")
        else:
            verb = "put away" if one.outcome == "trimmed" else "would be put away"
            more = f"; {many(one.over, 'row')} more than asked for stay, as {one.why}" if one.over else ""
            printer.note(f"{one.ref.key}: {many(one.removed, 'row')} {verb}, {many(one.stay, 'row')} left{more}.")
            if one.landed is not None:
                undo_view.undo(printer, workspace_of(one.ref), one.landed.record)

    def _rows(self, rows: list[dict[str, Any]]) -> None:
        printer = self.printer
        for row in rows:
            if printer.wants(row):
                if printer.json:
                    printer.row(row)
                elif not printer.terminal and not self.forgiving:
                    printer.tabs([_fields(row)])

    def _failed(self, why: str, code: int, busy: bool) -> None:
        if busy and self.forgiving:
            return
        say(f"memcli: {why}")
        self.code = max(self.code, code)


def _log(one: Compacted | Trimmed | Refused) -> None:
    """What the log of unattended runs keeps of a result."""
    if isinstance(one, Refused):
        run_log.note(outcome="error", why=f"{shown(one.workspace, one.workspace.root)}: {one.why}")
        return
    if one.outcome == "nothing":
        return
    commits = [made.id for made in (one.landed.record.commits if one.landed else ()) if made.id]
    facts: dict[str, Any] = {"removed": one.removed} if one.removed else {}
    if isinstance(one, Compacted):
        facts |= {"summarised": one.last - one.first + 1 if one.last else 0, "provider": one.provider}
    if commits:
        facts["commit"] = commits[-1]
    failed = one.outcome in ("error", "failed")
    run_log.note(outcome=one.outcome, why=f"{one.ref.key}: {one.why}" if failed else "", **facts)


def candidate(one: Queued, workspace: Workspace) -> dict[str, Any]:
    """The documented JSON object of a session in the queue."""
    return {
        "type": "candidate",
        **_session(reference(one.session, workspace)),
        "chosen": not one.reason,
        "state": one.state,
        "minutes": round(one.minutes, 1),
        "rows": one.session.rows if one.session.rows >= 0 else None,
        "left": one.left,
        "score": round(one.score),
        "reason": one.reason or None,
        "why": one.why or None,
    }


def row_of(one: Compacted) -> dict[str, Any]:
    """The documented JSON object of a session that was compacted."""
    return {
        "type": "compact",
        "outcome": one.outcome,
        **_session(one.ref),
        "first": one.first or None,
        "last": one.last or None,
        "summarised": one.last - one.first + 1 if one.last else 0,
        "stay": one.stay,
        "removed": one.removed,
        "provider": one.provider or None,
        "model": one.model or None,
        "verified": one.summary.verified if one.summary else None,
        "spent": one.summary.spent if one.summary else None,
        **_operation(one.landed),
        "proposal": one.proposal.id if one.proposal else None,
        "why": one.why or None,
    }


def points(one: Compacted) -> list[dict[str, Any]]:
    """Those of its points."""
    return [
        {
            "type": "point",
            "key": one.ref.key,
            "kind": point.kind,
            "layer": point.layer,
            "text": point.text,
            "rows": list(point.rows),
            "verified": point.verified,
        }
        for point in one.points
    ]


def trimmed_row(one: Trimmed) -> dict[str, Any]:
    """That of a session of which rows were put away."""
    return {
        "type": "trim",
        "outcome": one.outcome,
        **_session(one.ref),
        "removed": one.removed,
        "stay": one.stay,
        **_operation(one.landed),
        "why": one.why or None,
    }


def _session(ref: SessionRef) -> dict[str, Any]:
    return {"agent": ref.agent, "key": ref.key, "path": ref.shown}


def _operation(landed: Landed | None) -> dict[str, Any]:
    return {
        "operation": landed.record.id if landed and landed.record.changes else None,
        "commits": [
            {"repository": made.folder, "commit": made.id or None, "why": made.why or None}
            for made in (landed.record.commits if landed else ())
        ],
    }


def _fields(row: dict[str, Any]) -> list[str]:
    if row["type"] == "point":
        return ["point", row["kind"], ",".join(map(str, row["rows"])), row["text"]]
    commits = ",".join(one["commit"] or "" for one in row["commits"])
    values = (
        row["type"],
        row["outcome"],
        row["key"],
        row.get("summarised", 0),
        row["stay"],
        row["removed"],
        row.get("provider"),
        row["operation"],
        commits,
    )
    return ["" if value is None else str(value) for value in values]
