"""memcli memory show: long-term memory as the agent gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AsDreamOption,
        AtOption,
        ColorOption,
        JsonOption,
        MemoryOfOption,
        QueryOption,
        QuietOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def show(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    at: AtOption = None,
    user: MemoryOfOption = None,
    dream: AsDreamOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Show every layer of memory as the agent's prompt gets it, now or at an earlier time.

    In the agent's order and under its headings, cut where it cuts; files that no prompt has, and why, are named too. --at goes
    by the git repository that the memory is in. The same page on a terminal and in a pipe. Exit status: 0, 1 when a prompt has
    nothing, 3 when there is no history to look into.
    """
    from memcli.core import discovering, layering
    from memcli.output import Printer, layer_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    return layer_view.write(printer, layering.show(workspaces, user=user, at=at, dream=dream, tz=tz))
