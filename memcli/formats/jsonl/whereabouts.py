"""Files of rows that belong to nobody in particular are nowhere but where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.formats.facets import Neighbour, StoreFile
from memcli.model import Workspace


def standing(workspace: Workspace) -> str:
    """Nothing is known of who opens them."""
    return ""


def neighbours(workspaces: Sequence[Workspace]) -> Iterator[Neighbour | str]:
    """None."""
    return iter(())


def stores(workspace: Workspace) -> Iterator[StoreFile]:
    """None."""
    return iter(())


def key_in(row: Mapping[str, Any]) -> str:
    """There is no database."""
    return ""
