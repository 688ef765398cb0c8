"""What catbuddy does by itself: Dream on a timer, and the stores that its older versions left (`cron`, `dream.ts`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from memcli.formats.catbuddy import places
from memcli.formats.facets import Dreams, Generation, JournalFile, Waiting
from memcli.formats.no_habits import dropped, moved, refusals, taken_out
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

ENTRY_CAP: int | None = 64_000
OWN = frozenset({"sessions.db", "sessions.db-wal", "sessions.db-shm", "sessions.db.bak"})
EVERY = "every 2 hours unless dreamIntervalMinutes says otherwise"


def dreams(workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
    """The older Dream goes by `.dream_cursor`; the newer one keeps its position in memory, so nothing on disk tells."""
    if waiting.last is None:
        return Dreams(
            None,
            "this version keeps Dream's position in memory only, and what was not dreamt before the app was started again "
            "never will be",
        )
    if not waiting.entries:
        return Dreams(False, "nothing is new")
    return Dreams(True, f"the app dreams {EVERY}, 20 entries at a time; a newer version takes them for dreamt")


def generations(workspace: Workspace) -> list[Generation]:
    """The SQLite store that was renamed and never imported (`_migrateLegacyDb`)."""
    found = []
    for folder in workspace.sessions:
        here = set(places.names(folder))
        for name in sorted(here & {"sessions.db", "sessions.db.bak"}):
            what = f"{name} keeps the chats of a version that stored them in SQLite; none of them was brought over"
            found.append(Generation("SQLite", os.path.join(folder, name), what, True))
    return found


def ended(header: Mapping[str, Any]) -> bool:
    """`/new` and `session:clear` leave the header and nothing else; no session begins so (session manager `clear`)."""
    return bool(header)
