"""catbuddy's journal: `history.jsonl`, its counter, and the position file that only older versions wrote."""

from __future__ import annotations

import os

from memcli.formats.facets import JournalFile
from memcli.model import Workspace

AS_SESSIONS = False


def files(workspace: Workspace) -> list[JournalFile]:
    """One journal for each memory folder; the newest Dream keeps its position in memory only (`dream.ts`)."""
    folders = workspace.memory or (os.path.join(workspace.root, "memory"),)
    several = len(folders) > 1
    return [
        JournalFile(
            os.path.join(folder, "history.jsonl"),
            os.path.join(folder, ".cursor"),
            os.path.join(folder, ".dream_cursor"),
            os.path.relpath(folder, workspace.root) if several else "",
        )
        for folder in folders
    ]


def texts(workspace: Workspace) -> list[str]:
    """None: every version kept its journal as rows."""
    return []
