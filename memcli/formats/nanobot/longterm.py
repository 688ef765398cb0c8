"""nanobot's long-term memory as text: bullets under headings of the user's or its own, and what a prompt gets of it."""

from __future__ import annotations

import os

from memcli.formats.facets import Layer
from memcli.formats.nanobot.memory import files
from memcli.model import Workspace
from memcli.storage.memory_shape import Label, Shape

_SHAPE = Shape(
    labels=(
        Label(
            "(?:User )?Preferences?|Communication Style|Response Length|(?:用户|个人)?偏好|喜好", "preference", "user"
        ),
        Label(
            "User(?: Profile| Information)?|About (?:the )?User|Basic Information"
            "|用户(?:信息|资料|画像)?|关于用户|基本信息",
            section="user",
        ),
        Label("Project(?:s| Context| Information)?|Work Context|项目(?:背景|信息|上下文)?|工作背景", section="project"),
        Label("(?:Key )?Decisions?|(?:关键)?(?:决定|决策)", "decision"),
        Label("(?:Key )?Facts?|Important Notes|事实|重要(?:事项|信息)", "fact"),
        Label("Patterns?|模式|规律", "pattern"),
    )
)
SUBJECTS = (
    ("init", r"init: nanobot memory store"),
    ("revert", r"revert: undo [0-9a-f]+"),
    ("dream", r"dream: .*"),
)
"""What gitstore.py and the Dream write as the first line of a commit, by kind."""
UNDONE = "revert: undo {id}"
"""The same of a commit that takes another one back; the agent's own takes back all that came later as well."""
_STALE = 14
_CUT = "\n... (truncated)"


def shape(path: str) -> Shape:
    """The layout of a memory file."""
    return _SHAPE


def user_names(user: str) -> tuple[str, ...]:
    """None: there is one user."""
    return ()


def layers(workspace: Workspace, dream: bool) -> list[Layer]:
    """SOUL.md, USER.md, MEMORY.md, whole (context.py). Dream got their beginnings up to 0.3.0, until 0.2.1 with the age of the
    lines of MEMORY.md (memory.py); since then it reads them as every turn does."""
    by_layer = {memory.layer: memory.path for memory in files(workspace)}
    soul, user, memory = (by_layer.get(layer, "") for layer in ("persona", "user", "global"))
    if dream and workspace.era == "E2":
        found = [
            Layer(memory, "global", "## Current MEMORY.md", cap=32_000, cut=_CUT, stale=_STALE, strict=True),
            Layer(soul, "persona", "## Current SOUL.md", cap=16_000, cut=_CUT, strict=True),
            Layer(user, "user", "## Current USER.md", cap=16_000, cut=_CUT, strict=True),
        ]
    elif dream and workspace.era == "E3":
        cut = f"{_CUT}\n...[truncated]"
        found = [
            Layer(soul, "persona", "### SOUL.md", cap=8000, cut=cut, strict=True),
            Layer(user, "user", "### USER.md", cap=8000, cut=cut, strict=True),
            Layer(memory, "global", "### memory/MEMORY.md", cap=8000, cut=cut, strict=True),
        ]
    else:
        found = [
            Layer(soul, "persona", "## SOUL.md", strict=True),
            Layer(user, "user", "## USER.md", strict=True),
            Layer(memory, "global", "## Long-term Memory", strict=True),
        ]
        if workspace.era == "E0" and not dream:
            found += [
                Layer(one.path, "daily", "## Today's Notes", strict=True, daily=os.path.basename(one.path)[:10])
                for one in files(workspace)
                if one.layer == "daily"
            ]
    return [layer for layer in found if layer.path]
