"""memcli dream: what was said becomes long-term memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AllowLossOption,
        AllUsersOption,
        ApproveOption,
        ColorOption,
        ConsolidateOption,
        CronOption,
        DreamStatusOption,
        DreamUserOption,
        DryRunOption,
        EveryBatchOption,
        ForceLiveOption,
        FromOption,
        IdleOption,
        IfDueOption,
        InitGitOption,
        JournalOption,
        JsonOption,
        OnlyItemsOption,
        ProposeOption,
        ProviderOption,
        QueryOption,
        QuietOption,
        ScheduleOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def dream(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    if_due: IfDueOption = False,
    status: DreamStatusOption = False,
    dry_run: DryRunOption = False,
    propose: ProposeOption = False,
    approve: ApproveOption = None,
    only: OnlyItemsOption = None,
    consolidate: ConsolidateOption = False,
    init_git: InitGitOption = False,
    source: FromOption = None,
    user: DreamUserOption = None,
    all_users: AllUsersOption = False,
    journal: JournalOption = None,
    provider: ProviderOption = None,
    every: EveryBatchOption = False,
    allow_loss: AllowLossOption = False,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    cron: CronOption = False,
    schedule: ScheduleOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Distil what was said since the last time into long-term memory, once.

    The oldest entries that wait (30 a batch, 1,000 characters each) are read by a provider; what is worth keeping goes where the
    agent keeps it, with a commit that names its sources. What the memory says already is not added, what contradicts it is
    shown, secrets and orders to the memory are left out. Memory, position and commit change together, so that nothing is dreamt
    twice by memcli; the agent's own Dream should be off. In a pipe, tab-separated: dream, outcome, place, entries, entries left,
    provider, operation, commits; then item, state (added, known, conflict, refused, planned, proposed), layer, category, path,
    text. With --status: source, place, entries, characters, last, due, why. Exit status: 0 done or not due, 3 the provider or a
    file failed, 4 an agent is at work or another run is under way.
    """
    import sys

    from memcli import times
    from memcli.core import discovering, repairing
    from memcli.core.dream import consolidating, modes, places, running, wishes
    from memcli.core.dream import status as standing
    from memcli.output import Printer, dream_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet or cron)
    if schedule:
        from memcli.core import scheduling
        from memcli.output import schedule_view

        scheduling.alone(
            {
                "--status": status,
                "--dry-run": dry_run,
                "--propose": propose,
                "--approve": approve is not None,
                "--only": only,
                "--consolidate": consolidate,
                "--init-git": init_git,
                "--from": source,
                "--user": user is not None,
                "--all-users": all_users,
                "--journal": journal is not None,
                "--provider": provider,
                "--all": every,
                "--allow-loss": allow_loss,
                "--idle": idle is not None,
                "--force-live": force_live,
            }
        )
        schedule_view.write(printer, scheduling.plan(workspace, agent, sys.argv))
        return 0
    mode = modes.check(
        status=status,
        dry_run=dry_run,
        propose=propose,
        approve=approve is not None,
        only=bool(only),
        consolidate=consolidate,
        if_due=if_due,
    )
    wait = (repairing.CRON_IDLE if cron else repairing.IDLE) if idle is None else float(idle)
    wanted = wishes.wishes(
        source=source, provider=provider, every=every, allow_loss=allow_loss, idle=wait, force_live=force_live
    )
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    if mode != modes.STATUS and mode != running.DRY:
        modes.may_write(workspaces, bool(workspace))
    if init_git:
        modes.init_git(printer.note, workspaces, command=sys.argv)
    if approve is not None:
        from memcli.commands.proposals import approve as carry_out

        return carry_out(
            approve,
            only=only,
            workspace=workspace,
            agent=agent,
            allow_loss=allow_loss,
            idle=idle,
            force_live=force_live,
            json=json,
            query=query,
            where=where,
            color=color,
            quiet=quiet or cron,
        )
    found = places.places(workspaces, wanted.source, user=user, all_users=all_users, name=journal, patient=cron)
    if mode == modes.STATUS:
        dream_view.status(printer, [standing.status(place, wanted, tz) for place in found])
        return 0
    chosen = running.provider_of(wanted)
    view = dream_view.View(printer, forgiving=cron)
    if consolidate:
        return view.show(consolidating.run(found, wanted, chosen, mode, command=sys.argv))
    return view.show(running.several(found, wanted, chosen, mode, if_due=if_due, command=sys.argv, tz=tz))
