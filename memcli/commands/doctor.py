"""memcli doctor: is the workspace well, and where did this chat go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        BundleOption,
        ColorOption,
        CronOption,
        FailOnOption,
        FixOption,
        ForceLiveOption,
        ForceOption,
        IdleOption,
        JsonOption,
        LostArgument,
        QueryOption,
        QuietOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def doctor(
    lost: LostArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    fix: FixOption = False,
    bundle: BundleOption = None,
    force: ForceOption = False,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    cron: CronOption = False,
    fail_on: FailOnOption = "warning",
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Look over a workspace, or find out where a chat went; name what helps.

    Without words: the whole workspace on one screen, what hurts most first, each line with the command that helps. Sessions,
    journal, Dream, leftovers, locks, memory and its versions, permissions, disk, sizes. With --fix what is safe is mended, as
    repair --apply does.

    With words that you remember, or a session: every place that can hold its rows is looked at; each verdict names the cause,
    how many rows can be had back and from where, how many are lost, the evidence, and the command that brings them back.

    With --bundle FILE: a masked copy of what is damaged (or of the session that is named) for a bug report, in which verify finds
    the same and no word of yours is left (docs/bug-reports.md). With it, 1 means that not every finding shows in the bundle.
    Exit status: 0 all is well or nothing is lost, 1 something is wrong, lost or unknown, 3 a file could not be read, 4 an
    agent is at work (--fix).
    """
    from memcli import times
    from memcli.errors import UsageError
    from memcli.output import Printer

    times.zone(tz)
    quiet = quiet or cron
    if lost is not None and (fix or idle is not None or force_live or cron):
        raise UsageError("--fix mends the whole workspace; what mends one chat is told by doctor with just its name.")
    if force and bundle is None:
        raise UsageError("--force is about the file of --bundle.")
    if bundle is not None and (fix or cron):
        raise UsageError("--bundle changes nothing and --fix mends; give one of them.")
    if not fix and (idle is not None or force_live):
        raise UsageError("--idle and --force-live are about writing; give them with --fix.")
    if fix:
        from memcli.commands.repair import repair

        return repair(
            workspace=workspace,
            agent=agent,
            apply=True,
            idle=idle,
            force_live=force_live,
            cron=cron,
            fail_on=fail_on,
            json=json,
            query=query,
            where=where,
            color=color,
            quiet=quiet,
            tz=tz,
        )
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if bundle is not None:
        from memcli.output import bundle_view

        return bundle_view.write(
            printer, bundle, [lost] if lost is not None else [], workspace, agent, force=force, tz=tz
        )
    if lost is not None:
        from memcli.core import doctoring
        from memcli.output import verdict_view

        every = printer.json or printer.keep is not None
        answer = doctoring.ask(lost, workspace, agent, tz, None if every else doctoring.CHATS)
        return verdict_view.write(printer, answer, fail_on)
    from memcli.core import checking, verifying
    from memcli.output import check_view
    from memcli.output.rich_view import progress

    scope = checking.scope(workspace, agent)
    printer.notes(scope.workspaces)
    with progress("looking", verifying.bytes_of(scope), quiet) as report:
        checked = checking.check(scope, bool(workspace), agent, tz=tz, progress=report)
    return check_view.write(printer, checked, fail_on)
