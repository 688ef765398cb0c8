"""CocoCat V1's journals: history.jsonl of each agent and each user, with the integer in .dream_cursor.

The cursor counts the parsed, non-blank records that Dream has processed; its mtime is the time of the last
Dream. No number is ever allocated to a record. V2 has no journal.
"""

from __future__ import annotations

import os

from memcli.formats.cococat.layout import key_of
from memcli.formats.cococat.places import CURSOR, HISTORY, survey, users
from memcli.formats.facets import JournalFile, Note
from memcli.model import Workspace

AS_SESSIONS = True
NAMES_SESSIONS = False
CLOCK = True
BESIDE = ""


def files(workspace: Workspace) -> list[JournalFile]:
    """One journal for each V1 agent and each of its users; labels are the session keys."""
    found = None if workspace.files else survey(workspace.root)
    paths = [path for path in workspace.files if os.path.basename(path) == HISTORY]
    for agent in found.agents if found else ():
        if agent.v1:
            paths += [os.path.join(folder, HISTORY) for folder in (agent.memory, *users(agent.memory))]
    return [
        JournalFile(path, None, os.path.join(os.path.dirname(path), CURSOR), key_of(workspace, path), _user(path))
        for path in paths
    ]


def entry(path: str, note: Note) -> bytes:
    """A record that Dream reads: of a user, what they said (role, content); of an agent, a task without an answer.

    `iterations` is 0: no turn of the agent stands behind a note. Members and order are those of the agent's own writer
    (agent_loop.py), whose readers take any role and an empty answer.
    """
    import json
    from datetime import datetime

    stamp = datetime.fromtimestamp(note.seconds).isoformat()
    value: dict[str, object] = {"prompt": note.text, "response_summary": "", "iterations": 0, "timestamp": stamp}
    if _user(path):
        value = {"role": "user", "content": note.text, "timestamp": stamp}
    return json.dumps(value, ensure_ascii=False).encode()


def user_folder(user: str) -> str:
    """The first 16 hex digits of the SHA-256 of the id (utils.py)."""
    from hashlib import sha256

    return sha256(user.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def texts(workspace: Workspace) -> list[str]:
    """None: every version kept its journal as rows."""
    return []


def _user(path: str) -> str:
    above, name = os.path.split(os.path.dirname(path))
    return name if os.path.basename(above) == "users" else ""
