"""memcli sessions: ls, show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        DamagedOption,
        JsonOption,
        LimitOption,
        LineOption,
        LongOption,
        NeighboursOption,
        QueryOption,
        QuietOption,
        RowOption,
        SessionArgument,
        SinceOption,
        SortOption,
        TzOption,
        UntilOption,
        WhereOption,
        WorkspaceOption,
    )


def ls(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    sort: SortOption = "updated",
    limit: LimitOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    damaged: DamagedOption = False,
    long: LongOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> None:
    """List sessions, newest first.

    One row for every session file, whatever state it is in, from what stat and the first and last 4 KiB of each file show.
    In a pipe, tab-separated: updated, key, agent, size in bytes, damage codes (comma-separated), title or preview, path;
    with --long also messages, tokens, state before the title.
    """
    from memcli import leaving, times
    from memcli.core import choosing, discovering
    from memcli.output import Printer, listing_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    choice = choosing.Choice(sort, limit, since, until, damaged, long, tz)
    render = None if long else listing_view.renderer(printer)
    if render:
        rows = choosing.choose_written(workspaces, choice, render)
        leaving.keep(rows)
        printer.lines([row.line for row in rows])
        return
    with listing_view.progress(printer, long, choosing.bytes_of(workspaces) if long else 0) as report:
        found = choosing.choose(workspaces, choice, report)
    listing_view.write(printer, found, workspaces, long=long, tz=tz)


def show(
    session: SessionArgument = "@latest",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    row: RowOption = None,
    line: LineOption = None,
    context: NeighboursOption = 0,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> None:
    """Look into one session: header, counts, gaps, and what the agent itself would load.

    With --row or --line: that one place, whole, also when it cannot be read as a record.
    """
    from memcli import times
    from memcli.core import archived, places, rows, selecting, surveying
    from memcli.errors import UsageError
    from memcli.output import Printer, session_view
    from memcli.output.rich_view import progress

    times.zone(tz)
    if row is not None and line is not None:
        raise UsageError("--row and --line name two places; give one of them.")
    if context and row is None and line is None:
        raise UsageError("-C needs --row or --line.")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    ref = selecting.one(session, workspace, agent, tz)
    printer.notes([ref.workspace])
    if row is not None or line is not None:
        for found in places.around(ref, row=row, line=line, context=context):
            wanted = found.number == row if row is not None else found.line.number == line
            session_view.place(printer, ref, found, tz=tz, wanted=bool(context) and wanted)
        return
    with progress(f"reading {ref.key}", rows.size_of(ref.path) or 0, quiet) as report:
        seen = surveying.survey(ref, tz=tz, progress=report)
    session_view.survey(printer, ref, seen, archived.series(ref))
