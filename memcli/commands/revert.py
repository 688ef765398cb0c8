"""memcli revert: take back what one commit did to memory, or bring an older state back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        BackToOption,
        ColorOption,
        DryRunOption,
        ForceLiveOption,
        IdleOption,
        JsonOption,
        MemoryFileOption,
        QueryOption,
        QuietOption,
        RevertedArgument,
        RewindOption,
        WhereOption,
        WorkspaceOption,
    )


def revert(
    commit: RevertedArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    to: BackToOption = "",
    file: MemoryFileOption = "",
    rewind_cursor: RewindOption = False,
    dry_run: DryRunOption = False,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Take back what one commit did to memory; later Dreams and edits by hand stay.

    Edits that are in no commit stay uncommitted; lines that were edited since are a conflict, which is shown, and nothing is
    changed. Without COMMIT it is the newest Dream that stands. With --to the files become what
    they were in a commit; what was edited by hand is committed first. Either is a new commit, which can be reverted as well;
    nothing is reset or checked out. What Dream read stays read, unless --rewind-cursor. In a pipe, the difference, then
    tab-separated: commit, what became of the file on disk (changed, created, removed, left), lines added, lines removed, path.
    Exit status: 0, 1 a conflict or nothing to revert, 3 nothing can be read or committed there, 4 an agent is at work.
    """
    import sys

    from memcli.core import discovering, repairing, revert_plan, reverting, revisions, stores, verifying
    from memcli.errors import UsageError
    from memcli.output import Printer, revert_view
    from memcli.storage import git_writing

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if commit and to:
        raise UsageError("A COMMIT is taken back, and --to COMMIT brings a state back; give one of them.")
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    if not dry_run:
        repairing.may_write(verifying.Scope(workspaces), bool(workspace))
        for sentence in stores.finish(workspaces):
            printer.note(sentence)
    wish = revert_plan.Wish(commit, to, file, rewind_cursor)
    found = revisions.repositories(workspaces)
    plan = revert_plan.plan(wish, found)
    if dry_run or plan.clashes:
        return revert_view.planned(printer, plan, git_writing.refusal(plan.keep))
    wait = repairing.IDLE if idle is None else float(idle)
    return revert_view.done(
        printer, reverting.carry_out(wish, found, plan, command=sys.argv, idle=wait, force_live=force_live)
    )
