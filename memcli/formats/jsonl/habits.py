"""What nobody's agent does by itself: nothing that is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.formats.facets import Dreams, Generation, JournalFile, Moved, TakenOut, Waiting
from memcli.model import Workspace

ENTRY_CAP: int | None = None
OWN: frozenset[str] = frozenset()


def dreams(workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
    """Not known."""
    return Dreams(None, "which agent reads it is not known")


def generations(workspace: Workspace) -> list[Generation]:
    """None."""
    return []


def moved(workspace: Workspace, key: str) -> Moved | None:
    """Not known."""
    return None


def taken_out(header: Mapping[str, Any], rows: int, era: str) -> TakenOut | None:
    """Nothing tells of it but the numbers of the rows."""
    return None


def refusals(workspace: Workspace) -> list[str]:
    """None is known."""
    return []


def dropped(checkpoint: str, session: str, messages: int) -> str:
    """No such file is kept."""
    return ""
