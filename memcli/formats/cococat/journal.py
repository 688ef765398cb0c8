"""CocoCat V1's journals: history.jsonl of each agent and each user, with the integer in .dream_cursor.

The cursor counts the parsed, non-blank records that Dream has processed; its mtime is the time of the last
Dream. No number is ever allocated to a record. V2 has no journal.
"""

from __future__ import annotations

import os

from memcli.formats.cococat.layout import key_of
from memcli.formats.cococat.places import CURSOR, HISTORY, survey, users
from memcli.formats.facets import JournalFile
from memcli.model import Workspace

AS_SESSIONS = True


def files(workspace: Workspace) -> list[JournalFile]:
    """One journal for each V1 agent and each of its users; labels are the session keys."""
    found = None if workspace.files else survey(workspace.root)
    paths = [path for path in workspace.files if os.path.basename(path) == HISTORY]
    for agent in found.agents if found else ():
        if agent.v1:
            paths += [os.path.join(folder, HISTORY) for folder in (agent.memory, *users(agent.memory))]
    return [
        JournalFile(path, None, os.path.join(os.path.dirname(path), CURSOR), key_of(workspace, path)) for path in paths
    ]


def texts(workspace: Workspace) -> list[str]:
    """None: every version kept its journal as rows."""
    return []
