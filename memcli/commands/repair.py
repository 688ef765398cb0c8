"""memcli repair: what would make broken files whole, and doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AdoptOption,
        AgentOption,
        ApplyOption,
        ColorOption,
        CronOption,
        DropOption,
        EncodingOption,
        EolOption,
        FailOnOption,
        ForceLiveOption,
        FromPlanOption,
        IdleOption,
        JsonOption,
        LossyOption,
        OnlyCodeOption,
        PermsOption,
        QueryOption,
        QuietOption,
        ReconstructOption,
        RedreamOption,
        RenumberOption,
        RerouteOption,
        SavePlanOption,
        SkipOption,
        SynthesizeOption,
        TargetsArgument,
        ToOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def repair(
    targets: TargetsArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    apply: ApplyOption = False,
    only: OnlyCodeOption = None,
    lossy: LossyOption = False,
    reroute: RerouteOption = False,
    renumber: RenumberOption = False,
    adopt_temp: AdoptOption = False,
    synthesize_results: SynthesizeOption = False,
    encoding: EncodingOption = None,
    eol: EolOption = None,
    fix_perms: PermsOption = False,
    drop_bad_rows: DropOption = False,
    redream: RedreamOption = False,
    skip: SkipOption = False,
    to: ToOption = None,
    reconstruct: ReconstructOption = False,
    save_plan: SavePlanOption = None,
    from_plan: FromPlanOption = None,
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
    """Plan what would make broken files whole, and do it with --apply.

    Each edit is shown with the bytes before and after, and what the agent sees before and after. Only what loses nothing is
    mended without a further option; each finding says which one it would take. With --apply the old bytes are kept first,
    lines that were valid stay as they are byte for byte, healthy files are not touched, and what was written is judged again
    and taken back if anything got worse. The last line on stderr is the command that undoes it. In a pipe, tab-separated:
    what becomes of it (mend, mended, left), severity, code, path, line, row, repair, option needed, message, effect; then
    operation, id, path, rows kept, mended, quarantined, bytes taken out. Exit status: 0 nothing to do or nothing left, 1
    findings to be mended or left, 3 a file could not be read or written, 4 an agent is at work or a file changed.
    """
    import sys
    from functools import partial

    from memcli import times
    from memcli.core import copying, plan_files, repairing, stores, verifying
    from memcli.output import Printer, plan_view
    from memcli.output.log_view import log
    from memcli.output.rich_view import progress

    times.zone(tz)
    quiet = quiet or cron
    named = {
        "reroute": reroute,
        "renumber": renumber,
        "adopt-temp": adopt_temp,
        "synthesize-results": synthesize_results,
        "fix-perms": fix_perms,
        "drop-bad-rows": drop_bad_rows,
        "redream": redream,
        "skip": skip,
    }
    flags = {name: "" for name, given in named.items() if given}
    flags |= {name: value for name, value in (("encoding", encoding), ("eol", eol)) if value is not None}
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    view = plan_view.View(printer, fail_on)
    repairing.check(
        apply=apply,
        to=to,
        save_plan=save_plan,
        from_plan=from_plan,
        named=bool(targets or workspace or only or lossy or flags),
    )
    wanted = repairing.wishes(lossy=lossy, only=only or [], flags=flags, reconstruct=reconstruct, to=to)
    if from_plan is not None:
        plans = plan_files.load(from_plan, tz)
        scope = None
    else:
        scope = verifying.scope(targets or [], workspace, agent, tz)
        printer.notes([*scope.workspaces, *(ref.workspace for ref in scope.only)])
        path = copying.source(scope, to) if to is not None else ""
        if apply:
            for place in repairing.may_write(scope, bool(targets or workspace), copies=True):
                printer.note(f"Writing to {place.root}.")
                for sentence in stores.finish([place]):
                    printer.note(sentence)
        with progress("looking", verifying.bytes_of(scope), quiet) as report:
            plans = repairing.plans(scope, wanted, tz=tz, progress=report)
    if save_plan is not None:
        plan_files.save(save_plan, plans)
    if not apply:
        for plan in plans:
            view.plan(plan, copied=to is not None)
        if to is not None:
            copying.write(plans[0], path, to, list(log(plans[0], path, to)))
            printer.note(f"Written: {to} and {to}{copying.LOG}.")
        return view.end()
    wait = float(idle) if idle is not None else repairing.CRON_IDLE if cron else repairing.IDLE
    for plan in plans:
        again = partial(repairing.replanned, plan, scope, wanted, tz) if scope else None
        view.applied(
            *repairing.carry_out(plan, wanted, command=sys.argv, idle=wait, force_live=force_live, again=again, tz=tz)
        )
    return view.end(cron)
