"""catbuddy's journal: `history.jsonl`, its counter, and the position file that only older versions wrote."""

from __future__ import annotations

import os

from memcli.formats.facets import JournalFile, Note
from memcli.model import Workspace

AS_SESSIONS = False
NAMES_SESSIONS = False
CLOCK = False
BESIDE = "A catbuddy that is running counts in memory and would give this number once more; append while it is closed."


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


def entry(path: str, note: Note) -> bytes:
    """An entry as the memory store writes it (memory-store.ts): compact, the time in UTC."""
    import json

    from memcli.times import iso

    value = {"cursor": note.number, "content": note.text, "at": iso(note.seconds)}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def user_folder(user: str) -> str:
    """None: the journal is everybody's."""
    return ""


def texts(workspace: Workspace) -> list[str]:
    """None: every version kept its journal as rows."""
    return []
