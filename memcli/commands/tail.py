"""memcli tail: the last records of a session, and what comes after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AllOption,
        ColorOption,
        CountOption,
        FollowOption,
        JsonOption,
        QueryOption,
        QuietOption,
        RawOption,
        RoleOption,
        SessionArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def tail(
    session: SessionArgument = "@latest",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    lines: CountOption = 10,
    follow: FollowOption = False,
    every: AllOption = False,
    role: RoleOption = None,
    raw: RawOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> None:
    """Show the last records of a session, and follow it with -f.

    Records are shown as a person reads them: role, time, text, tool calls. Lines that cannot be read are passed over
    and counted on stderr. -f shows each record when its line is complete, and goes on when the file is replaced,
    truncated, deleted or made anew.
    """
    raise NotImplementedError
