"""memcli tail: the last records of a session, and what comes after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AllOption,
        ArchiveOption,
        ColorOption,
        CountOption,
        FollowOption,
        JsonOption,
        QueryOption,
        QuietOption,
        RawOption,
        RoleOption,
        SessionArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def tail(
    session: SessionArgument = "@latest",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    lines: CountOption = 10,
    follow: FollowOption = False,
    every: AllOption = False,
    role: RoleOption = None,
    archive: ArchiveOption = False,
    raw: RawOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Show the last records of a session, and follow it with -f.

    Records are shown as a person reads them: role, time, text, tool calls. Lines that cannot be read are passed over
    and counted on stderr. -f shows each record when its line is complete, and goes on when the file is replaced,
    truncated, deleted or made anew.
    """
    from memcli import times
    from memcli.core import discovering, recent, selecting
    from memcli.errors import UsageError
    from memcli.output import Printer, record_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if every and session != selecting.LATEST:
        raise UsageError("--all means every session, and a SESSION one; give one of them.")
    if follow and workspace and "-" in workspace:
        raise UsageError("Standard input cannot be followed; name the file that it comes from.")
    workspaces = discovering.find(workspace, agent) if every else []
    refs = selecting.refs(workspaces, tz) if every else [selecting.one(session, workspace, agent, tz)]
    printer.notes([ref.workspace for ref in refs])
    roles = tuple(role or ())
    view = record_view.View(printer, raw=raw, named=every, tz=tz)
    numbered = view.numbered
    if archive:
        from memcli.core import archived

        found = archived.last(refs, lines, roles=roles, numbered=numbered, tz=tz, told=view.broken)
    else:
        found = recent.recent(refs, lines, roles=roles, numbered=numbered, tz=tz)
    view.recent(found)
    if follow:
        out = printer.out.fileno()
        for item in recent.coming(
            refs,
            found.ends,
            workspaces=workspaces,
            roles=roles,
            numbered=numbered,
            until_closed=out,
            notice=printer.note,
        ):
            view.coming(item)
    return 3 if found.errors or view.failed else 0
