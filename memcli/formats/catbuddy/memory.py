"""catbuddy's long-term memory: MEMORY.md of the global or project layer, USER.md and SOUL.md beside it."""

from __future__ import annotations

import os

from memcli.formats.facets import MemoryFile, Versioned
from memcli.model import Workspace


def files(workspace: Workspace) -> list[MemoryFile]:
    """MEMORY.md of each memory folder, and the persona files of the folder around it.

    The layer of a bare copy cannot be told by its place and is called global, as catbuddy treats a workspace
    that belongs to no project.
    """
    layer = "project" if workspace.era == "project" else "global"
    found: dict[str, MemoryFile] = {}
    for folder in workspace.memory or (os.path.join(workspace.root, "memory"),):
        around = os.path.dirname(folder)
        for path, kind in (
            (os.path.join(folder, "MEMORY.md"), layer),
            (os.path.join(around, "USER.md"), "user"),
            (os.path.join(around, "SOUL.md"), "persona"),
        ):
            found.setdefault(path, MemoryFile(path, kind))
    return list(found.values())


def versioned(workspace: Workspace) -> list[Versioned]:
    """None: GitStore was never brought over."""
    return []
