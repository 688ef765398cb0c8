"""memcli sessions merge: two copies of a chat put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ApplyOption,
        ColorOption,
        FirstArgument,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        KeepBothOption,
        MergedToOption,
        PreferOption,
        QueryOption,
        QuietOption,
        SecondArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def merge(
    a: FirstArgument = "",
    b: SecondArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    apply: ApplyOption = False,
    to: MergedToOption = None,
    prefer: PreferOption = None,
    keep_both: KeepBothOption = False,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Plan how A gets every row that only B has, and do it with --apply; B is not touched.

    Each distinct row is kept once, in the order of both copies and then by time; kept lines stay as they are byte for byte.
    A may be a key or a path in a sessions folder that does not exist yet: then it is made from B. Versions of one row are
    conflicts: nothing is written before --prefer or --keep-both says what becomes of them. Lines of B that cannot be read
    are not copied. The last line on stderr is the command that undoes it. In a pipe, tab-separated: the conflicts as in
    diff, then merge, state, operation, path, rows in both, only in A, added, replaced, dropped, repeated, left out,
    renumbered, conflicts. Exit status: 0 nothing to merge, or done; 1 rows to be merged, or a conflict; 4 an agent is at
    work or a file changed.
    """
    import sys

    from memcli import times
    from memcli.core import copies, merging, repairing
    from memcli.core.verifying import Scope
    from memcli.errors import UsageError
    from memcli.output import Printer, merge_view

    times.zone(tz)
    if not a or not b:
        raise UsageError("merge puts two copies of a chat together: memcli sessions merge A B.")
    if apply and to is not None:
        raise UsageError("--to writes a new file and --apply writes A; give one of them.")
    if prefer and keep_both:
        raise UsageError("--prefer keeps one version of a row and --keep-both two; give one of them.")
    decision = "both" if keep_both else prefer or ""
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    pair = copies.target(a, b, workspace, agent, tz)
    printer.notes([pair.a.workspace, pair.b.workspace])
    view = merge_view.View(printer, tz)
    if not apply:
        with merging.plan(pair, decision, tz) as plan:
            if to is not None and not plan.undecided:
                merging.write(plan, to)
                return view.written(plan, to)
            return view.plan(plan)
    for place in repairing.may_write(Scope([], (pair.a,)), copies.is_path(a) or bool(workspace), copies=True):
        printer.note(f"Writing to {place.root}.")
    wait = repairing.IDLE if idle is None else float(idle)
    done = merging.apply(
        pair, decision, command=sys.argv, idle=wait, force_live=force_live, tz=tz, told=view.carried_out
    )
    return view.end(done)
