"""memcli verify and memcli seal: what is wrong with the files, and what was changed in them since a seal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        FailOnOption,
        JsonOption,
        QueryOption,
        QuietOption,
        TargetsArgument,
        TzOption,
        WhereOption,
        WorkspaceOption,
    )


def verify(
    targets: TargetsArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    fail_on: FailOnOption = "warning",
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Judge every file by every class of damage; nothing is changed.

    Sessions, journals, cursors, memory files, leftovers: each finding says where it is, what the agent makes of it, and what
    repair would do. What was not checked is told on stderr. In a pipe, tab-separated: severity, code, path, line, row,
    repair, message, effect. Exit status: 0 nothing wrong, 1 findings from --fail-on on, 3 a file could not be read.
    """
    from memcli import times
    from memcli.core import verifying
    from memcli.output import Printer, finding_view
    from memcli.output.rich_view import progress

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    scope = verifying.scope(targets or [], workspace, agent, tz)
    printer.notes([*scope.workspaces, *(ref.workspace for ref in scope.only)])
    with progress("verifying", verifying.bytes_of(scope), quiet) as report:
        return finding_view.report(printer, verifying.verify(scope, tz=tz, progress=report), fail_on)


def seal(
    targets: TargetsArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Record the hashes of all lines, so that verify can tell later what was changed.

    CRC-32 and SHA-256 of each line of every session and journal go to memcli's own state folder; nothing is ever added to
    the files. A later verify tells appended, trimmed at the front, and changed inside apart. Sealing again accepts what is
    there now. In a pipe, tab-separated: lines, bytes, path. Exit status: 0 done, 3 a file could not be read.
    """
    from memcli.core import sealing, verifying
    from memcli.output import Printer, sealed_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    scope = verifying.scope(targets or [], workspace, agent)
    printer.notes([*scope.workspaces, *(ref.workspace for ref in scope.only)])
    return sealed_view.write(printer, sealing.seal(scope.workspaces, scope.only))
