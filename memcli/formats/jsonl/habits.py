"""What nobody's agent does by itself: nothing that is known."""

from __future__ import annotations

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
OWN: frozenset[str] = frozenset()


def dreams(workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
    """Not known."""
    return Dreams(None, "which agent reads it is not known")


def generations(workspace: Workspace) -> list[Generation]:
    """None."""
    return []
