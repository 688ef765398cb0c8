"""catbuddy's long-term memory as text: what Dream and the Consolidator append, and what a prompt gets of it."""

from __future__ import annotations

import os

from memcli import settings
from memcli.formats.catbuddy.places import ANCHOR
from memcli.formats.facets import Layer
from memcli.model import Workspace
from memcli.storage.memory_shape import Head, Label, Shape

_DATED = r" — (?:(?:(?P<user>User Profile)|(?P<project>Project)) — )?(?P<date>\d{4}-\d{2}-\d{2})"
_SHAPE = Shape(
    # layered-memory.ts, appendToMemoryFile; a body without layers holds H2 lines of its own, so that no heading ends it
    heads=(Head("dream", f"## Dream{_DATED}"), Head("archived", f"## Archived{_DATED}")),
    labels=(
        Label("User Profile|User Information", section="user"),
        Label("Project|Project Context", section="project"),
    ),
)
SUBJECTS: tuple[tuple[str, str], ...] = ()
"""It makes no commits."""
UNDONE = "memcli revert: undo {id}"
"""The first line of a commit that takes another one back."""


def shape(path: str) -> Shape:
    """The layout of a memory file; nothing is appended to the persona files."""
    return _SHAPE if os.path.basename(path) == "MEMORY.md" else Shape()


def user_names(user: str) -> tuple[str, ...]:
    """None: there is one user."""
    return ()


def layers(workspace: Workspace, dream: bool) -> list[Layer]:
    """The persona files, then MEMORY.md: in a project that of the user first, USER.md and it from the home (prompt-builder.ts).
    Dream gets the beginnings of the project's own three (dream.ts)."""
    found: list[Layer] = []
    project = workspace.era == "project"
    for folder in workspace.memory or (os.path.join(workspace.root, "memory"),):
        here = os.path.dirname(folder)
        memory = os.path.join(folder, "MEMORY.md")
        if dream:
            found += [
                Layer(memory, "project" if project else "global", "Existing MEMORY.md:", cap=3000, utf16=True),
                Layer(os.path.join(here, "USER.md"), "user", "Existing USER.md:", cap=1000, utf16=True),
                Layer(os.path.join(here, "SOUL.md"), "persona", "Existing SOUL.md:", cap=1000, utf16=True),
            ]
            continue
        home = home_of(workspace) if project else here
        found.append(Layer(os.path.join(here, "SOUL.md"), "persona", "## SOUL.md"))
        if home:
            found.append(Layer(os.path.join(home, "USER.md"), "user", "## USER.md"))
        if project:
            if home:
                you = os.path.join(home, "memory", "MEMORY.md")
                found.append(Layer(you, "global", "## Long-Term Memory (You)"))
            found.append(Layer(memory, "project", "## Project Memory"))
        else:
            found.append(Layer(memory, "global", "## Long-Term Memory"))
    return list(dict.fromkeys(found))


def home_of(workspace: Workspace) -> str:
    """The workspace of the home beside a project, "" where it is not known: of a copy that somebody sent."""
    if workspace.shown not in ("", workspace.root):
        return ""
    return os.path.join(os.path.abspath(settings.home()), ANCHOR, "workspace")
