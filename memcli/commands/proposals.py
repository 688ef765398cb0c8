"""memcli proposals: ls, show, approve, reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AllowLossOption,
        BecauseOption,
        ColorOption,
        DecidedOption,
        DryRunOption,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        OnlyItemsOption,
        ProposalArgument,
        QueryOption,
        QuietOption,
        WhereOption,
        WorkspaceOption,
    )


def ls(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    every: DecidedOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """List what is proposed for the memory and waits for somebody to decide.

    What a Dream, a clean-up or a summary would write, and did not. With --all also what was approved or rejected, with the
    reason in 'proposals show'. In a pipe, tab-separated: id, status, what made it, time (UTC), items that are open, items,
    provider, user, workspace, what it is about. Exit status: 0, 3 a proposal cannot be read.
    """
    from memcli.core import discovering, proposing
    from memcli.output import Printer, proposal_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    return proposal_view.ls(printer, proposing.found(workspaces), every=every)


def show(
    proposal: ProposalArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show a proposal: each item with where it comes from, or each change as a difference.

    Changes are shown as they would be made in the files as they are now; one that fits no more is named. The same page on a
    terminal and in a pipe. Exit status: 0, 2 no such proposal.
    """
    from memcli.core import discovering, proposing
    from memcli.output import Printer, proposal_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    proposal_view.show(printer, proposing.choose(proposal, workspaces))


def approve(
    proposal: ProposalArgument = "",
    only: OnlyItemsOption = None,
    dry_run: DryRunOption = False,
    allow_loss: AllowLossOption = False,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Write what is proposed into the memory, or a part of it; the rest stays open.

    The difference is shown; --dry-run only shows it. Memory, commit and inbox change together. Where a file was changed since the
    proposal was made, each change is made where its old text still stands, once; else nothing is. What the memory contradicts
    and what must not be kept stays open. The last line on stderr is the command that takes it back. A unified difference on a
    terminal and in a pipe. Exit status: 0 written, 1 decided on already, or nothing of it could be written, 2 no such proposal, 3
    it could not be written, 4 an agent is at work, or a file changed so that it fits no more.
    """
    import sys
    import time

    from memcli.core import discovering, proposing, repairing, stores, verifying
    from memcli.output import Printer, proposal_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    for sentence in [] if dry_run else stores.finish(workspaces):
        printer.note(sentence)
    found = proposing.choose(proposal, workspaces)
    seconds = time.time()
    if dry_run:
        ids = proposing.chosen(found.proposal, only or [])
        return proposal_view.planned(
            printer, found, proposing.plan(found, only or [], allow_loss=allow_loss, seconds=seconds), ids
        )
    repairing.may_write(verifying.Scope([found.workspace]), bool(workspace))
    wait = repairing.IDLE if idle is None else float(idle)
    done = proposing.approve(
        found,
        only or [],
        allow_loss=allow_loss,
        seconds=seconds,
        command=sys.argv,
        idle=wait,
        force_live=force_live,
    )
    return proposal_view.approved(printer, done)


def reject(
    proposal: ProposalArgument = "",
    only: OnlyItemsOption = None,
    because: BecauseOption = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Set a proposal aside, or a part of it, with the reason; the memory is not touched.

    It stays in the inbox, where 'proposals ls --all' lists it and 'proposals show' tells the reason; undo opens it again. Exit
    status: 0 set aside, 1 decided on already, 2 no such proposal.
    """
    import sys
    import time

    from memcli.core import discovering, proposing, stores
    from memcli.output import Printer, proposal_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    for sentence in stores.finish(workspaces):
        printer.note(sentence)
    found = proposing.choose(proposal, workspaces)
    proposal_view.rejected(
        printer, proposing.reject(found, only or [], because=because, seconds=time.time(), command=sys.argv)
    )
