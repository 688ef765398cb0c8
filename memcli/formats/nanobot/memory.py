"""The long-term memory files: MEMORY.md, SOUL.md, USER.md, and the older HISTORY.md and daily notes."""

from __future__ import annotations

import os

from memcli.formats.facets import MemoryFile, Versioned
from memcli.formats.nanobot.places import names_in
from memcli.model import Workspace


def files(workspace: Workspace) -> list[MemoryFile]:
    """MEMORY.md, SOUL.md and USER.md whether or not they exist; HISTORY.md (E1) and daily notes (E0)
    where they do.

    Layers beyond those of MemoryFile: "history" for HISTORY.md, "daily" for YYYY-MM-DD.md.
    """
    found: list[MemoryFile] = []
    for folder in workspace.memory:
        found.append(MemoryFile(os.path.join(folder, "MEMORY.md"), "global"))
        if folder != workspace.root:  # a memory folder that was copied out has no workspace around it
            above = os.path.dirname(folder)
            found.append(MemoryFile(os.path.join(above, "SOUL.md"), "persona"))
            found.append(MemoryFile(os.path.join(above, "USER.md"), "user"))
        for name in sorted(names_in(folder)):
            if name == "HISTORY.md":
                found.append(MemoryFile(os.path.join(folder, name), "history"))
            elif is_daily_note(name):
                found.append(MemoryFile(os.path.join(folder, name), "daily"))
    return found


def versioned(workspace: Workspace) -> list[Versioned]:
    """The workspace since 0.1.5 (GitStore), where all but three files are ignored. The repository is made at start-up, as
    SOUL.md is, unless a folder above is one."""
    inside = os.path.join(workspace.root, "memory")
    if workspace.files or workspace.era in ("", "E0", "E1") or inside not in workspace.memory:
        return []
    started = "SOUL.md" in names_in(workspace.root)
    first = "init: nanobot memory store"
    return [Versioned(workspace.root, _TRACKED, started, (inside,), _IGNORED, first=first)]


def is_daily_note(name: str) -> bool:
    """Whether a file name is YYYY-MM-DD.md."""
    return len(name) == 13 and name.endswith(".md") and name[4] == name[7] == "-" and _digits(name)


def _digits(name: str) -> bool:
    numbers = name[:4] + name[5:7] + name[8:10]
    return numbers.isascii() and numbers.isdigit()


_TRACKED = ("SOUL.md", "USER.md", "memory/MEMORY.md")
_IGNORED = ("/*", "!memory/", "!SOUL.md", "!USER.md", "!memory/MEMORY.md", "!.gitignore")
