"""memcli lint: what is wrong with memory files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        FailOnOption,
        JsonOption,
        LintFixOption,
        MemoryFileArgument,
        QueryOption,
        QuietOption,
        WhereOption,
        WorkspaceOption,
    )


def lint(
    file: MemoryFileArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    fix: LintFixOption = None,
    fail_on: FailOnOption = "warning",
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Judge memory files: duplicates, echoes, placeholders, secrets, size, versions.

    What verify finds in memory files, and nothing else; nothing is changed. With --fix a proposal is put into the inbox, which
    'memcli proposals approve' writes: nothing that is said only once goes. In a pipe, tab-separated: severity, code, path, line,
    row, repair, message, effect; with --fix as 'proposals ls'. Exit status: 0 nothing wrong, or proposed, or nothing to fix, 1
    findings from --fail-on on, 3 a file could not be read.
    """
    from memcli.core import discovering, linting
    from memcli.output import Printer, finding_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    if fix is not None:
        import sys
        import time

        from memcli.core import repairing, stores, tidying, verifying
        from memcli.output import proposal_view

        repairing.may_write(verifying.Scope(workspaces), bool(workspace))
        for sentence in stores.finish(workspaces):
            printer.note(sentence)
        made = tidying.propose(workspaces, fix, file, seconds=time.time(), command=sys.argv)
        return proposal_view.proposed(printer, list(made), fix)
    return finding_view.report(printer, linting.lint(workspaces, file), fail_on)
