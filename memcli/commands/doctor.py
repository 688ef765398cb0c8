"""memcli doctor: where did this chat go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        JsonOption,
        LostArgument,
        QueryOption,
        QuietOption,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def doctor(
    lost: LostArgument,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Find out where a chat went, and what brings it back.

    With words that you remember, or a session: every place that can hold its rows is looked at; each verdict names the cause,
    how many rows can be had back and from where, how many are lost, the evidence, and the command that brings them back.
    Exit status: 0 nothing is lost, 1 something is lost or unknown.
    """
    from memcli import times
    from memcli.core import doctoring
    from memcli.output import Printer, verdict_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    answer = doctoring.ask(lost, workspace, agent, tz)
    return verdict_view.write(printer, answer)
