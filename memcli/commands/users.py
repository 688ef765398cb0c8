"""memcli users: whose memory an agent keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        JsonOption,
        QueryOption,
        QuietOption,
        UserIdArgument,
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
) -> int:
    """List the users of whom an agent keeps something, by the names of their folders.

    An id cannot be told from the name of a folder; 'users hash ID' goes the other way. In a pipe, tab-separated: folder, path,
    memory file, entries of the journal, pending entries. Exit status: 0, 1 when there is nobody, 2 when no agent here keeps
    anything by user.
    """
    from memcli.core import discovering
    from memcli.core.dream import users
    from memcli.output import Printer, user_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    return user_view.write(printer, users.users(workspaces))


def hash(
    user: UserIdArgument = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Show the name of the folder in which an agent keeps what it has of a user.

    The first 16 hex digits of the SHA-256 of the id, as it stands, without any normalising. In a pipe, tab-separated: folder,
    agent. Exit status: 0.
    """
    from memcli.core.dream import users
    from memcli.errors import UsageError
    from memcli.output import Printer, user_view

    if user is None:
        raise UsageError("users hash needs the id of a user; an empty one is written ''.")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    user_view.names(printer, user, users.names(user))
