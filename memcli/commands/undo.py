"""memcli undo: take an operation back, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        KeepOption,
        ListOption,
        OperationArgument,
        PruneOption,
        QueryOption,
        QuietOption,
        WhereOption,
        WorkspaceOption,
    )


def undo(
    operation: OperationArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    listing: ListOption = False,
    prune: PruneOption = False,
    keep: KeepOption = None,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Take back what an operation did, byte for byte.

    The newest, or the one that is named. Content, permissions and times are as they were before; created files go, removed
    ones come back. Refuses when a file was changed since; what is in git, revert takes back. Undoing is itself an operation that
    can be undone by its id. Quarantined bytes are kept whatever is pruned. In a pipe, tab-separated: id of the undoing, what
    became of the file, path; with --list id, time, what, number of files, state, first file. Exit status: 0 undone, 1 nothing
    to undo, 2 no such operation, or it is in git, 4 a file was changed since or an agent is at work.
    """
    import sys

    from memcli.core import undoing
    from memcli.errors import UsageError
    from memcli.output import Printer, operation_view
    from memcli.storage.undo import KEPT

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if sum((listing, prune, operation is not None)) > 1:
        raise UsageError("An OPERATION, --list and --prune exclude each other; give one of them.")
    if keep is not None and not prune:
        raise UsageError("--keep needs --prune.")
    if listing:
        operation_view.listing(printer, undoing.listed(workspace, agent))
        return
    if prune:
        operation_view.forgotten(printer, undoing.prune(workspace, agent, KEPT if keep is None else keep))
        return
    chosen = undoing.choose(operation, workspace, agent)
    wait = undoing.IDLE if idle is None else float(idle)
    reversal = undoing.carry_out(chosen, command=sys.argv, idle=wait, force_live=force_live)
    operation_view.undone(printer, chosen, reversal)
