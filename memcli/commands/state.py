"""memcli state: what memcli keeps for itself, and removing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        ColorOption,
        EverythingOption,
        JsonOption,
        QueryOption,
        QuietOption,
        RemoveOption,
        RunsOption,
        StateArgument,
        WhereOption,
    )


def state(
    what: StateArgument = None,
    lines: RunsOption = None,
    remove: RemoveOption = None,
    everything: EverythingOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show what memcli keeps, where and how large; remove it.

    Undo copies, quarantine, seals and archives of each workspace, and what it notes of Dream, proposes and versions. Nothing of
    memcli's lies in an agent's folder. Removing takes all of it away for good; the workspace itself is not touched. In a pipe,
    tab-separated: store, bytes of undo, quarantine, seals and archive, sessions deleted with rm, workspace, bytes of notes on
    Dream (dreams), of proposals (inbox) and of versions (git).

    With `log`: what each unattended run (--cron) did, and why it failed; the oldest lines go by themselves. In a pipe,
    tab-separated: time (UTC), exit code (empty: it was killed), seconds, command, outcome, why.
    """
    from memcli import settings
    from memcli.core import stores
    from memcli.errors import UsageError
    from memcli.output import Printer, operation_view, run_view
    from memcli.output.columns import size_words
    from memcli.output.words import many
    from memcli.storage import run_log

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if what not in (None, "log"):
        raise UsageError(f"state takes the word log or none, and not {what!r}; a workspace is named by --remove.")
    if what == "log":
        if remove is not None or everything:
            raise UsageError("The log goes away by itself; --remove and --all are about workspaces.")
        run_view.write(printer, run_log.rows(), lines)
        return
    if lines is not None:
        raise UsageError("-n counts lines of the log: memcli state log -n N.")
    if remove is not None and everything:
        raise UsageError("--remove takes one workspace and --all takes every one; give one of them.")
    if remove is not None or everything:
        removed = stores.remove(remove)
        operation_view.kept(printer, removed, "removed")
        size = size_words(sum(one.bytes for one in removed))
        printer.note(f"Removed what was kept for {many(len(removed), 'workspace')} ({size} bytes).")
        return
    kept = stores.kept()
    operation_view.kept(printer, kept)
    size, cached = size_words(sum(one.bytes for one in kept)), size_words(stores.cache().bytes)
    printer.note(f"State: {settings.state_folder()}, {size} bytes for {many(len(kept), 'workspace')}.")
    printer.note(f"Cache: {settings.cache_folder()}, {cached} bytes; it can be deleted at any time.")
    if kept:
        printer.note("Remove: memcli state --remove WORKSPACE, or --all; quarantined bytes go as well.")
