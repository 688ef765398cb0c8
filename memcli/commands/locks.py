"""memcli locks: ls, clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        DryRunOption,
        JsonOption,
        LocksArgument,
        QueryOption,
        QuietOption,
        WhereOption,
        WorkspaceOption,
    )


def ls(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show who holds which lock, alive or stale, and who waits.

    The locks of the agents' protocols, the files in which a running agent names its process, git's lock files, memcli's own
    lock, and every process that has a session, journal or memory file locked or open to write. State: alive, stale (the owner
    is gone: its number is nobody's, or a younger process's, or the file is older than the last start of the system),
    unknown (nothing of that can be told from here) or free. Nothing is changed. In a pipe, tab-separated: state, kind, pid,
    program, since (UTC), pids that wait (comma-separated), path, what is known in a sentence; a lock that several wait for is
    summed up on stderr. Exit status: 0.
    """
    import time

    from memcli.core import discovering, locking
    from memcli.output import Printer, lock_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    lock_view.write(printer, locking.survey(workspaces), workspaces, now=time.time())


def clear(
    locks: LocksArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Remove the lock files whose owner is gone; undo brings them back.

    Every stale one, or those that are named. One whose owner lives, or may live where it cannot be seen from here, is never
    removed: then nothing is, and a sentence says who holds it. Locks that the kernel keeps (flock) need no clearing: it frees
    them when their process ends. In a pipe, tab-separated: id of the operation, what became of the file, path. Exit status: 0
    removed, 1 nothing is stale, 2 no such lock, 4 a named lock is held or may be.
    """
    import sys

    from memcli.core import clearing, discovering, repairing, verifying
    from memcli.output import Printer, lock_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    chosen = clearing.choose(locks or [], workspaces)
    if dry_run:
        lock_view.cleared(printer, [clearing.Cleared(row, "", "would be removed") for row in chosen])
        return
    for place in repairing.may_write(verifying.Scope(workspaces), bool(workspace)):
        printer.note(f"Writing to {place.root}.")
    lock_view.cleared(printer, clearing.clear(chosen, command=sys.argv))
