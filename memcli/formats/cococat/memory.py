"""CocoCat's long-term memory: MEMORY.md and PROFILE.md (V1), memory.md and pinned.md (V2)."""

from __future__ import annotations

import os

from memcli.formats.cococat.places import names, scene_users, survey, users
from memcli.formats.facets import MemoryFile, Versioned
from memcli.model import Workspace


def files(workspace: Workspace) -> list[MemoryFile]:
    """The memory files, agent by agent: layer "global" is the agent's own, "user:<id>" what it keeps of one
    user.

    V2a writes to sessions/memory/memory.md what it should write to memory/memory.md, and its prompts never
    read it; that file is listed when it is there.
    """
    found = None if workspace.files else survey(workspace.root)
    listed: list[MemoryFile] = []
    for agent in found.agents if found else ():
        if agent.v1:
            listed.append(MemoryFile(os.path.join(agent.memory, "MEMORY.md"), "global"))
            listed += [_of_user(folder, "PROFILE.md") for folder in users(agent.memory)]
        if agent.v2:
            listed.append(MemoryFile(os.path.join(agent.memory, "memory.md"), "global"))
            listed.append(MemoryFile(os.path.join(agent.folder, "pinned.md"), "global"))
            stray = os.path.join(agent.folder, "sessions", "memory")
            if "memory.md" in names(stray):
                listed.append(MemoryFile(os.path.join(stray, "memory.md"), "global"))
    for scene in found.scenes if found else ():
        listed += [_of_user(folder, "memory.md") for folder in scene_users(scene, "memory")]
    return listed


def versioned(workspace: Workspace) -> list[Versioned]:
    """The memory folder of each V1 agent, from its first Dream on, and inside it that of each user (git_store.py)."""
    found = None if workspace.files else survey(workspace.root)
    listed: list[Versioned] = []
    for agent in found.agents if found else ():
        if agent.v1:
            folders = tuple(users(agent.memory))
            listed.append(Versioned(agent.memory, ("MEMORY.md",), False, folders, settings=_IDENTITY))
            listed += [Versioned(folder, ("PROFILE.md",), settings=_IDENTITY) for folder in folders]
    return listed


def _of_user(folder: str, name: str) -> MemoryFile:
    return MemoryFile(os.path.join(folder, name), f"user:{os.path.basename(folder)}")


_IDENTITY = (("user.name", "cococat-memory"), ("user.email", "memory@cococat.local"))
"""Without it the agent's own commits fail where git knows no other one."""
