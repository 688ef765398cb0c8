"""memcli sessions rm: remove sessions, with undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        DryRunOption,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        QueryOption,
        QuietOption,
        RemovedArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
        YesOption,
    )


def rm(
    sessions: RemovedArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Remove sessions with what the agent keeps beside them; undo brings all of it back.

    What goes with a session: the checkpoint of an interrupted turn, interrupted saves of the same file, the cursors of a
    journal. Other files that show the chat are named and stay. A note for the mirror is kept in memcli's own state. Asks on
    a terminal; elsewhere --yes is needed. In a pipe, tab-separated: what (session, sidecar, left), state (removed, planned,
    refused, left), operation, key, rows, bytes, path. Exit status: 0 removed, 1 not confirmed, 4 an agent is at work or a
    file changed.
    """
    import sys
    import time

    from memcli import times
    from memcli.core import removing, repairing
    from memcli.core.verifying import Scope
    from memcli.errors import UsageError
    from memcli.output import Printer, asking, removal_view

    times.zone(tz)
    if not sessions:
        raise UsageError("rm needs to be told what to remove: memcli sessions rm SESSION...")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if not (yes or dry_run or asking.can_ask()):
        raise UsageError(
            "Nobody can be asked here; --yes removes without a question, --dry-run only shows what would go."
        )
    refs = removing.named(sessions, workspace, agent, exact=yes, tz=tz)
    printer.notes([ref.workspace for ref in refs])
    removals = removing.plan(refs)
    if dry_run:
        removal_view.write(printer, removals, [])
        printer.note("Nothing was removed.")
        return 0
    repairing.may_write(Scope([], tuple(refs)), True)
    if not yes and not asking.asked(removal_view.question(removals)):
        printer.note("Nothing was removed.")
        return 1
    wait = repairing.IDLE if idle is None else float(idle)
    done = removing.carry_out(removals, command=sys.argv, idle=wait, force_live=force_live, now=time.time())
    return removal_view.write(printer, removals, done)
