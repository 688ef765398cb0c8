"""How what was written to a memory is taken back: the last lines of each command that does so."""

from __future__ import annotations

import os

from memcli.core.causes.framework import command
from memcli.model import Workspace
from memcli.output import Printer
from memcli.output.safe_text import pasted
from memcli.storage.records import Committed, Record


def undo(printer: Printer, workspace: Workspace, record: Record) -> None:
    """Say where no commit was made and why, and the command that takes back each that was made, or else the files."""
    commits = [made for made in record.commits if made.id]
    for made in record.commits:
        if not made.id:
            printer.note(f"No commit was made in {made.folder}: {made.why}. The memory is written all the same.")
    for made in commits:
        printer.note(f"Undo: {_revert(workspace, made)}")
    if record.changes and not commits:
        printer.note(f"Undo: memcli undo {record.id}")


def _revert(workspace: Workspace, made: Committed) -> str:
    """The command for a commit: what is known of the user may be kept in another workspace."""
    tree, root = os.path.realpath(made.tree), os.path.realpath(workspace.root)
    inside = os.path.commonpath((tree, root)) == root
    owner = workspace if inside else workspace._replace(root=made.tree, shown=made.tree)
    return pasted(command(owner, "revert", made.id[:8]))
