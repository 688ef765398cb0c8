"""memcli log, diff, blame: the memory files over time, by the git repository that they are kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AtCommitOption,
        ColorOption,
        CommitsArgument,
        CommitsOption,
        JsonOption,
        MemoryFileArgument,
        MemoryFileOption,
        QueryOption,
        QuietOption,
        RequiredMemoryFileArgument,
        WhereOption,
        WorkspaceOption,
    )


def log(
    file: MemoryFileArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    limit: CommitsOption = 20,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """List the commits of memory, newest first.

    When, by whom, and what they changed. Nothing of the repository runs: no hook, filter, external diff or signature check,
    and nothing is fetched. In a pipe, tab-separated: commit, time (UTC), author, subject, files (PATH +ADDED -REMOVED,
    separated by a comma and a blank), kind by the agent's own words (init, dream, dream-user, revert, memcli, or nothing),
    repository. Exit status: 0, 1 when there is no commit, 3 when there is no history or it cannot be read.
    """
    from memcli.core import discovering, revision_log, revisions
    from memcli.output import Printer, revision_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    found = revisions.repositories(workspaces)
    name = None
    if file:
        one, name = revisions.choose(file, found)
        found = [one]
    code = revision_view.log(printer, revision_log.entries(found, limit, name))
    for sentence in [note for one in found for note in one.notes()]:
        printer.note(sentence)
    if code and limit and where is None:
        printer.note("There is no commit yet." if name is None else f"No commit changed {file}.")
    return code


def diff(
    commits: CommitsArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    file: MemoryFileOption = "",
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Show what changed in memory between two states of it.

    From the last commit to the files on disk, from COMMIT to them, or from one commit to another: COMMIT^ COMMIT shows what
    one commit changed. A unified difference on a terminal and in a pipe; the files on disk are compared as they are, without
    git's filters. Exit status: 0, also when nothing differs, 2 when there is no such commit, 3 when there is no history or it
    cannot be read.
    """
    from memcli.core import discovering, revision_diff, revisions
    from memcli.errors import UsageError
    from memcli.output import Printer, revision_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    if commits and len(commits) > 2:
        raise UsageError("diff compares two commits at most; name a file with --file.")
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    found = revisions.repositories(workspaces)
    name = None
    if file:
        one, name = revisions.choose(file, found)
        found = [one]
    if not revision_view.diff(printer, revision_diff.differences(found, commits or [], name)) and where is None:
        printer.note("Nothing differs.")
    for sentence in [note for one in found for note in one.notes()]:
        printer.note(sentence)
    return 0


def blame(
    file: RequiredMemoryFileArgument = "",
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    at: AtCommitOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show which commit each line of a memory file comes from.

    Of the file on disk, its lines that no commit has among them, or with --at of the file as a commit has it; sources that a
    commit names in its last lines (trailers) are in the JSON rows. In a pipe, tab-separated: commit, time (UTC), author, subject,
    line, text. Exit status: 0, 2 when there is no such file or commit, 3 when no commit has it or its history cannot be read.
    """
    from memcli.core import discovering, revision_blame, revisions
    from memcli.errors import UsageError
    from memcli.output import Printer, revision_view

    if not file:
        raise UsageError("blame needs the memory file whose lines it is to explain, such as MEMORY.md.")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    one, name = revisions.choose(file, revisions.repositories(workspaces))
    revision_view.blame(printer, revision_blame.blame(one, name, at), one.show(name))
    for sentence in one.notes():
        printer.note(sentence)
