"""Habits that an agent does not have: what its module of habits takes from here, it does not do by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.formats.facets import Moved, TakenOut
from memcli.model import Workspace


def moved(workspace: Workspace, key: str) -> Moved | None:
    """No other place is known where a version kept the session."""
    return None


def taken_out(header: Mapping[str, Any], rows: int, era: str) -> TakenOut | None:
    """Nothing in a file tells of rows that were taken out but the numbers of those that are left."""
    return None


def refusals(workspace: Workspace) -> list[str]:
    """Nothing is known that keeps the agent from starting."""
    return []


def dropped(checkpoint: str, session: str, messages: int) -> str:
    """No file beside a session is thrown away."""
    return ""


def ended(header: Mapping[str, Any]) -> bool:
    """A file without rows says nothing of how the chat ended."""
    return False
