"""memcli's own folder: for each workspace a place for undo copies, quarantine, seals, intents and archive.

Nothing here lies in an agent's folder. Folders are 0700 and files 0600 whatever the umask.
"""

from __future__ import annotations

from typing import NamedTuple

KINDS = ("undo", "quarantine", "seals", "intents", "archive")
"""The places of a store, by the name of their folder."""


class Store(NamedTuple):
    """One workspace's part of the state folder; `folder` need not exist yet. `root` is the workspace's real path."""

    id: str
    folder: str
    root: str


class Usage(NamedTuple):
    """What one place takes."""

    files: int
    bytes: int


def store(root: str, own_id: str | None = None) -> Store:
    """The store of the workspace at `root`: named by the agent's own id of it when there is one, else by a hash of
    the real path. Creates nothing."""
    raise NotImplementedError


def place(store: Store, kind: str) -> str:
    """The folder of one of KINDS, made when it is missing. Raises CannotWrite, RefusedForSafety when the state folder
    is another user's."""
    raise NotImplementedError


def stores() -> list[Store]:
    """Every store there is, by id."""
    raise NotImplementedError


def usage(store: Store) -> dict[str, Usage]:
    """What each place of a store takes, places that do not exist left out."""
    raise NotImplementedError


def remove(store: Store) -> None:
    """Remove a store with everything in it. Raises RefusedForSafety while a memcli writes there."""
    raise NotImplementedError
