"""Whose memory a workspace keeps, by the names of their folders: ids cannot be told from them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from memcli.core import journals, positions
from memcli.core.memory_places import memory_files
from memcli.core.naming import shown
from memcli.errors import MemcliError, UsageError
from memcli.formats import load, longterm
from memcli.model import Workspace


class User(NamedTuple):
    """One user of an agent: the name of the folder, the memory file (None: there is none) and how many entries of the journal
    there are and wait; None where there is no journal, or none that can be read."""

    workspace: Workspace
    folder: str
    path: str
    memory: str | None
    entries: int | None
    pending: int | None


def users(workspaces: Sequence[Workspace], tz: str = "") -> list[User]:
    """The users that have a journal or a memory, by the place of their folder. Raises UsageError where no format keeps any."""
    if not any(keeps_users(one) for one in workspaces):
        raise UsageError("No agent here keeps anything by user.")
    found: dict[str, User] = {}
    for workspace in workspaces:
        if workspace.files or not keeps_users(workspace):
            continue
        for memory in memory_files(workspace):
            if memory.layer.startswith("user:"):
                folder = os.path.dirname(memory.path)
                there = shown(workspace, memory.path) if os.path.lexists(memory.path) else None
                name = memory.layer.removeprefix("user:")
                found[folder] = User(workspace, name, shown(workspace, folder), there, None, None)
        for journal in journals.every(workspace) if load(workspace.agent).journal else ():
            if not (journal.file.user and journal.there):
                continue
            folder = os.path.dirname(journal.file.path)
            one = found.get(folder) or User(workspace, journal.file.user, shown(workspace, folder), None, None, None)
            try:
                state = positions.state(journal, tz)
                one = one._replace(entries=state.entries, pending=state.pending)
            except MemcliError:
                pass  # what cannot be read stays unknown
            found[folder] = one
    return [found[folder] for folder in sorted(found)]


def names(user: str) -> list[tuple[str, str]]:
    """The names that the folder of a user can have, by agent: the likeliest first."""
    from memcli.formats import FORMATS

    return [(agent, name) for agent in FORMATS if load(agent).memory for name in longterm(agent).user_names(user)]


def as_json(user: User) -> dict[str, Any]:
    """The documented JSON object."""
    return {
        "type": "user",
        "agent": user.workspace.agent,
        "folder": user.folder,
        "path": user.path,
        "memory": user.memory,
        "entries": user.entries,
        "pending": user.pending,
    }


def keeps_users(workspace: Workspace) -> bool:
    """Whether the workspace's agent keeps a memory for each user."""
    return load(workspace.agent).memory is not None and bool(longterm(workspace.agent).user_names("any"))
