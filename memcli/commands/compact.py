"""memcli compact: the old rows of chats become summaries, and are put away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        BudgetOption,
        ColorOption,
        CompactArguments,
        CronOption,
        DryRunOption,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        KeepRowsOption,
        ProposeOption,
        ProviderOption,
        QueryOption,
        QuietOption,
        ScheduleOption,
        TrimOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def compact(
    words: CompactArguments = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    dry_run: DryRunOption = False,
    keep: KeepRowsOption = None,
    budget: BudgetOption = None,
    trim: TrimOption = False,
    propose: ProposeOption = False,
    provider: ProviderOption = None,
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
    """Make summaries of old rows where their agent reads them; put those rows away.

    Without SESSION the queue: at most three chats a run that have ended, by minutes of silence times rows; --dry-run shows all of
    it, and why one is left alone. A summary stands for whole turns, each row once; the last 8 rows stay active. What fails waits
    5, 10, 20 ... minutes. With --trim, rows beyond the newest N (2,000) go into memcli's archive, where grep, tail and sessions
    show read them, if a summary stands for them. In a pipe, tab-separated: compact or trim, outcome, key, rows summarised, rows
    that stay, rows put away, provider, operation, commits; then point, kind, rows, text; or with --dry-run: chosen or the reason,
    key, state, minutes, rows, rows without a summary, score, why. Exit status: 0 done, or nothing to do, 3 the provider or a file
    failed, 4 an agent is at work, a chat is damaged or another run is under way.
    """
    import sys

    from memcli import times
    from memcli.core import discovering, guarding
    from memcli.core.compact import modes, wishes
    from memcli.output import Printer, compact_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet or cron)
    if schedule:
        from memcli.core import scheduling
        from memcli.output import schedule_view

        given = {
            "the name of a chat": words,
            "--dry-run": dry_run,
            "--keep": keep is not None,
            "--budget": budget is not None,
            "--trim": trim,
            "--propose": propose,
            "--provider": provider is not None,
            "--idle": idle is not None,
            "--force-live": force_live,
        }
        scheduling.alone(given)
        schedule_view.write(printer, scheduling.plan(workspace, agent, sys.argv))
        return 0
    asked = wishes.asked(words or [], trim=trim)
    mode = wishes.check(
        session=bool(asked.session),
        keep=keep is not None,
        budget=budget is not None,
        trim=trim,
        dry_run=dry_run,
        propose=propose,
        provider=provider is not None,
    )
    wait = (guarding.CRON_IDLE if cron else guarding.IDLE) if idle is None else float(idle)
    rows = asked.number or (wishes.TRIM if trim else None)
    wanted = wishes.wishes(
        mode=mode, provider=provider, keep=keep, budget=budget, trim=rows, idle=wait, force_live=force_live
    )
    view = compact_view.View(printer, forgiving=cron)
    if asked.session:
        from memcli.core import selecting

        ref = selecting.one(asked.session, workspace, agent, tz)
        return view.show(modes.named(ref, wanted, only_trim=trim, command=sys.argv))
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    if mode == wishes.DRY:
        return view.show(modes.queued(workspaces, wanted, only_trim=trim, command=sys.argv))
    from memcli.core.dream.modes import may_write

    may_write(workspaces, bool(workspace))
    return view.show(modes.unattended(workspaces, wanted, only_trim=trim, command=sys.argv))
