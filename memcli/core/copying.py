"""A repaired copy of one session, beside which the original stays as it is."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.core.blueprint import Blueprint
from memcli.core.drafts import Draft
from memcli.core.plan_files import write_new
from memcli.core.verifying import Scope
from memcli.errors import UsageError
from memcli.formats import load
from memcli.model import Workspace

LOG = ".log"


def source(scope: Scope, to: str) -> str:
    """The one session that is to be copied. Raises UsageError when not exactly one was named, or when the copy would lie
    where an agent takes it for a chat."""
    workspaces = [*scope.workspaces, *(ref.workspace for ref in scope.only)]
    paths = [*(path for workspace in scope.workspaces for path in workspace.files), *(ref.path for ref in scope.only)]
    if len(paths) != 1:
        raise UsageError("--to writes a copy of one session: name that session, or its file.")
    for path in (to, to + LOG):
        check(path, workspaces)
    return paths[0]


def check(to: str, workspaces: Sequence[Workspace]) -> None:
    """Raise UsageError when a copy cannot be called `to`: it exists, or an agent would take it for a chat."""
    folder = os.path.dirname(os.path.realpath(os.path.expanduser(to)))
    for workspace in workspaces:
        agents = (*workspace.sessions, *workspace.memory) if load(workspace.agent).layout.homes("") else ()
        if any(folder == os.path.realpath(one) for one in agents):
            raise UsageError(f"{to} lies in a folder of the agent, which would take it for a chat; name another place.")
    if os.path.lexists(os.path.expanduser(to)):
        raise UsageError(f"{to} exists already; name a file that does not.")


def write(blueprint: Blueprint, path: str, to: str, log: Sequence[str]) -> None:
    """Write the copy and its log. Raises UsageError when one of them exists, CannotWrite."""
    draft = blueprint.drafts.get(path) or Draft(path)
    write_new(to, b"".join(draft.content()))
    write_new(to + LOG, "\n".join([*log, ""]).encode("utf-8", "backslashreplace"))
