"""memcli sessions diff: what two copies of a chat differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        FirstArgument,
        JsonOption,
        QueryOption,
        QuietOption,
        SecondArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def diff(
    a: FirstArgument = "",
    b: SecondArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Compare two copies of a chat: what both have, what only one has, and versions of one row.

    A and B are keys or files: a backup, a conflict copy, a temporary file, an undo copy, a chat of another workspace. Rows
    are the same when they hold the same, however they are written; versions of one row are known by their id, or by time,
    role and text where rows have none. Lines that cannot be read are named for each side. In a pipe, tab-separated: what
    (header, only-a, only-b, moved, renumbered, conflict, unreadable-a, unreadable-b), row in A, row in B, role, time, member,
    text in A, text in B; a conflict has one line for each member that differs. Exit status: 0 the same, 1 they differ.
    """
    from memcli import times
    from memcli.core import comparing, copies
    from memcli.core.sides import Side
    from memcli.errors import UsageError
    from memcli.output import Printer, difference_view

    times.zone(tz)
    if not a or not b:
        raise UsageError("diff compares two copies of a chat: memcli sessions diff A B.")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    pair = copies.two(a, b, workspace, agent, tz)
    printer.notes([pair.a.workspace, pair.b.workspace])
    with Side(pair.a, tz) as one, Side(pair.b, tz) as other:
        return difference_view.View(printer, tz).write(comparing.compare(one, other))
