"""The journal memory/history.jsonl of 0.1.5 and later, and its two cursor files."""

from __future__ import annotations

import os

from memcli.formats.facets import JournalFile, Note
from memcli.formats.nanobot.memory import is_daily_note
from memcli.formats.nanobot.places import names_in
from memcli.model import Workspace

AS_SESSIONS = False
NAMES_SESSIONS = True
CLOCK = False
BESIDE = ""


def files(workspace: Workspace) -> list[JournalFile]:
    """One journal for each memory folder, whether or not it exists.

    `.cursor` holds the last number given out, `.dream_cursor` the last entry that Dream has read
    (MemoryStore).
    """
    return [
        JournalFile(
            path=os.path.join(folder, "history.jsonl"),
            allocated=os.path.join(folder, ".cursor"),
            processed=os.path.join(folder, ".dream_cursor"),
        )
        for folder in workspace.memory
    ]


def entry(path: str, note: Note) -> bytes:
    """An entry as `append_history` writes it (MemoryStore): local time to the minute, the session last."""
    import json
    import time

    stamp = time.strftime("%Y-%m-%d %H:%M", time.localtime(note.seconds))
    value = {"cursor": note.number, "timestamp": stamp, "content": note.text}
    if note.session:
        value["session_key"] = note.session
    return json.dumps(value, ensure_ascii=False).encode()


def user_folder(user: str) -> str:
    """None: the journal is everybody's."""
    return ""


def texts(workspace: Workspace) -> list[str]:
    """HISTORY.md (E1), what the move to history.jsonl left of it, and the daily notes of E0."""
    return [
        os.path.join(folder, name)
        for folder in workspace.memory
        for name in sorted(names_in(folder))
        if name.startswith("HISTORY.md") or is_daily_note(name)
    ]
