"""The folders that catbuddy uses: its home, a project's `.catbuddy`, a registered project's data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from memcli import settings

ANCHOR = ".catbuddy"
REGISTRY = "workspace-folders.json"
REGISTRY_LIMIT = 4 << 20
"""A registry is read up to this many bytes; a longer one is not catbuddy's."""


class Project(NamedTuple):
    """A project: `anchor` is its `.catbuddy`, `data` the folder in the home that keeps its chats."""

    anchor: str | None
    data: str | None


class Folders(NamedTuple):
    """The existing sessions and memory folders of one workspace."""

    sessions: tuple[str, ...]
    memory: tuple[str, ...]


def is_home(anchor: str) -> bool:
    """Whether a folder is catbuddy's home and not a project's `.catbuddy`; only the home has a registry."""
    if os.path.basename(anchor) == ANCHOR and os.path.dirname(anchor) == os.path.abspath(settings.home()):
        return True
    return any(os.path.lexists(os.path.join(anchor, name)) for name in (REGISTRY, "electron"))


def folders_below(*roots: str | None) -> Folders:
    """The sessions and memory folders that exist directly in `roots` or in a `workspace` folder there."""
    places = [os.path.join(root, *inner) for root in roots if root for inner in ((), ("workspace",))]
    return Folders(existing(places, "sessions"), existing(places, "memory"))


def existing(places: list[str], name: str) -> tuple[str, ...]:
    """The folders called `name` in `places`."""
    return tuple(path for place in places if os.path.isdir(path := os.path.join(place, name)))


def projects(home: str) -> Iterator[Project]:
    """The projects that the registry of a home names, then the data folders that it does not name."""
    data_folders = os.path.join(home, "projects")
    known = set()
    for project in registered(home):
        known.add(project.data)
        yield project
    for name in sorted(names(data_folders)):
        data = os.path.join(data_folders, name)
        if data not in known:
            yield Project(None, data)


def registered(home: str) -> Iterator[Project]:
    """The projects that the registry of a home names."""
    for entry in _registry(home):
        yield _project(entry, os.path.join(home, "projects"))


def data_folder(anchor: str) -> str | None:
    """The data folder that the user's own catbuddy home has for the project with this `.catbuddy`."""
    home = os.path.join(os.path.abspath(settings.home()), ANCHOR)
    return next((project.data for project in projects(home) if project.anchor == anchor), None)


def names(folder: str) -> list[str]:
    """What a folder lists; nothing when it cannot be listed."""
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _registry(home: str) -> list[dict[str, Any]]:
    """The registry's entries that are objects; none when it is missing, unreadable, too long or not JSON."""
    from memcli.errors import CannotRead
    from memcli.storage.decode import decode
    from memcli.storage.reading import open_regular

    try:
        fd = open_regular(os.path.join(home, REGISTRY))
    except CannotRead:
        return []
    try:
        raw = os.pread(fd, REGISTRY_LIMIT + 1, 0)
    except OSError:
        return []
    finally:
        os.close(fd)
    values = decode(raw).values if len(raw) <= REGISTRY_LIMIT else ()
    entries = values[0].get("folders") if values and isinstance(values[0], dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _project(entry: dict[str, Any], data_folders: str) -> Project:
    """One entry, of which only `id` and `name` are sure to be there; a relative path says nothing."""
    anchor = _absolute(entry.get("catbuddyDir"))
    root = _absolute(entry.get("projectRoot"))
    data = _absolute(entry.get("dataDir"))
    identity = entry.get("id")
    if data and not os.path.isdir(data):  # a home that was copied from elsewhere
        data = None
    if data is None and isinstance(identity, str) and identity not in ("", ".", "..") and os.sep not in identity:
        data = os.path.join(data_folders, identity)
    return Project(anchor or (os.path.join(root, ANCHOR) if root else None), data)


def _absolute(value: Any) -> str | None:
    if isinstance(value, str) and os.path.isabs(value) and "\0" not in value:
        return os.path.normpath(value)
    return None
