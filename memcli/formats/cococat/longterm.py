"""CocoCat's long-term memory as text: what Dream leaves in MEMORY.md and PROFILE.md, and what a prompt gets of it."""

from __future__ import annotations

import hashlib
import os

from memcli.formats.cococat.memory import files
from memcli.formats.facets import Layer
from memcli.model import Workspace
from memcli.storage.memory_shape import Head, Label, Shape

_LABELS = (
    Label("Key Decisions?|关键决[定策]|决[定策]", "decision"),
    Label("Facts?(?: Learned)?|(?:新|已知)?事实", "fact"),
    Label("Preferences?|偏好", "preference"),
    Label("Patterns?|模式|规律", "pattern"),
)
_DREAM = r"#{2,4}\s+(?P<date>\d{4}-\d{2}-\d{2})\s+Dream(?:\s+Consolidation)?\s*"
_PROFILE = r"#{2,4}\s+Dream\s+Consolidation\s+\((?P<date>\d{4}-\d{2}-\d{2})\)\s*"
_SHAPE = Shape(heads=(Head("dream", _DREAM), Head("dream", _PROFILE)), labels=_LABELS, closes=3)
_PLAIN = Shape(plain=True)
SUBJECTS = (
    ("dream", r"dream: (?P<date>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})"),
    ("dream-user", r"dream-user: (?P<date>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})"),
)
"""What git_store.py is given as the first line of a commit, by kind; the date is in the machine's zone."""
UNDONE = "memcli revert: undo {id}"
"""The first line of a commit that takes another one back: the agent makes none, it drops commits."""
_CAP = 3000


def shape(path: str) -> Shape:
    """The layout of a memory file: V2 keeps one fact a line."""
    return _SHAPE if os.path.basename(path) in ("MEMORY.md", "PROFILE.md") else _PLAIN


def user_names(user: str) -> tuple[str, ...]:
    """The names that the folder of a user can have: the first 16 hex digits of SHA-256 of the id, as it stands (utils.py), and
    the id itself, as V2b does and CocoCat's own tests do."""
    return hashlib.sha256(user.encode("utf-8", "surrogateescape")).hexdigest()[:16], user


def layers(workspace: Workspace, dream: bool) -> list[Layer]:
    """The whole files (context.py), agent by agent, then what is kept of users: one of them is in a prompt, that of whom the
    agent talks with. Dream gets the beginning of MEMORY.md (dream.py)."""
    found = []
    for memory in files(workspace):
        name = os.path.basename(memory.path)
        group = _agent(workspace, memory.path)
        if os.path.basename(os.path.dirname(os.path.dirname(memory.path))) == "sessions":
            why = "no prompt reads it: it was written to the wrong folder"
            found.append(Layer(memory.path, memory.layer, "", group=group, left_out=why))
        elif dream:
            if name == "MEMORY.md":
                found.append(Layer(memory.path, memory.layer, "Current MEMORY.md", cap=_CAP, group=group, strict=True))
        elif memory.layer.startswith("user:"):
            found.append(Layer(memory.path, memory.layer, "## Current User", group=group, strip=True, strict=True))
        else:
            found.append(Layer(memory.path, memory.layer, "", group=group, strict=True))
    return found


def _agent(workspace: Workspace, path: str) -> str:
    """The agent that a memory file is of, by the folder that it is in: agents/NAME/..., scenes/NAME/..."""
    parts = os.path.relpath(path, workspace.root).split(os.sep)
    return parts[1] if len(parts) > 2 and parts[0] in ("agents", "scenes") else ""
