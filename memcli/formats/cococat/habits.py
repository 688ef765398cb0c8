"""What CocoCat does by itself: V1's rule for when Dream is due, and the generations that one folder can hold (dream.py)."""

from __future__ import annotations

import os

from memcli.formats.cococat.places import HISTORY, Survey, names, survey
from memcli.formats.facets import Dreams, Generation, JournalFile, Waiting
from memcli.formats.no_habits import dropped, ended, moved, refusals, taken_out
from memcli.model import Workspace

__all__ = [
    "ENTRY_CAP",
    "OWN",
    "dreams",
    "dropped",
    "ended",
    "generations",
    "moved",
    "refusals",
    "taken_out",
]

ENTRY_CAP: int | None = None
OWN = frozenset({"cococat.db", "cococat.db-wal", "cococat.db-shm"})
LONG, SHORT = 1800.0, 600.0
"""Seconds since the last Dream after which one entry is enough, and three are."""
FEW = 3
CHARACTERS = 6000


def dreams(workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
    """`should_trigger_dream`: any entry after half an hour, 6,000 characters at once, or three entries after ten minutes.

    No caller of a user's Dream was found in any version. The echo that each Dream leaves behind is an entry as well.
    """
    if not waiting.entries:
        return Dreams(False, "nothing is new")
    if os.path.basename(os.path.dirname(os.path.dirname(journal.path))) == "users":
        return Dreams(False, "no version that is known dreams a user's journal by itself")
    since = waiting.now - (waiting.last or 0.0)
    if since >= LONG:
        return Dreams(True, "due by the agent's rule (half an hour since the last), with the agent's next task")
    if waiting.characters >= CHARACTERS:
        return Dreams(True, "due by the agent's rule (6,000 characters), with the agent's next task")
    if waiting.entries >= FEW and since >= SHORT:
        return Dreams(
            True, "due by the agent's rule (3 entries, ten minutes since the last), with the agent's next task"
        )
    return Dreams(
        False, "not due yet by the agent's rule (half an hour since the last Dream, or 3 entries after ten minutes)"
    )


def generations(workspace: Workspace) -> list[Generation]:
    """Files of V1 in a folder that V2 uses by now: V2 reads none of them."""
    found = None if workspace.files or workspace.era == "V1" else survey(workspace.root)
    return list(_older(found)) if found else []


def _older(found: Survey) -> list[Generation]:
    older = [agent for agent in found.agents if agent.v1 and HISTORY in names(agent.memory)]
    return [
        Generation("V1", agent.memory, f"{HISTORY} and MEMORY.md of V1 beside V2's files; V2 reads neither", True)
        for agent in older
    ]
