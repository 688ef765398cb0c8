"""The repositories that memory is kept in: the agent's own, those that memcli made in place, and memcli's own. Read only."""

from __future__ import annotations

import os

from memcli.core.storing import store
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.formats.facets import Versioned
from memcli.model import Workspace
from memcli.storage import git_keep

BARE = "memory.git"
"""memcli's own repository of a workspace, in the place `git` of its store."""
MARK = "memcli.memory"
"""The setting of a repository that memcli made in place for memory alone."""


def owned(workspace: Workspace, folder: str) -> bool:
    """Whether a folder with a repository is one that the agent keeps its memory in, or that memcli made for it in place."""
    if folder in folders(workspace):
        return True
    try:
        return git_keep.configured(folder, f"^{MARK.replace('.', '[.]')}$").get(MARK) == "true"
    except CannotRead:
        return False


def bare_of(workspace: Workspace) -> str | None:
    """memcli's own repository of a workspace; None where there is none. Makes nothing."""
    path = place_of(workspace)
    return path if os.path.isfile(os.path.join(path, "HEAD")) else None


def place_of(workspace: Workspace) -> str:
    """Where memcli's own repository of a workspace is, or would be."""
    return os.path.join(store(workspace).folder, "git", BARE)


def versioned(workspace: Workspace) -> list[Versioned]:
    """What the agent itself keeps under git, whether or not it has begun to."""
    memory = load(workspace.agent).memory
    return memory.versioned(workspace) if memory is not None and not workspace.files else []


def folders(workspace: Workspace) -> list[str]:
    """The folders of that, as they really are."""
    return [os.path.realpath(one.folder) for one in versioned(workspace)]
