"""How files are called in output."""

from __future__ import annotations

import os

from memcli.model import Workspace


def shown(workspace: Workspace, path: str) -> str:
    """How `path` is called in output: inside an archive, by the archive's name."""
    if not workspace.shown or workspace.shown == workspace.root:
        return path
    if workspace.files:
        return workspace.shown
    return os.path.normpath(os.path.join(workspace.shown, os.path.relpath(path, workspace.root)))
