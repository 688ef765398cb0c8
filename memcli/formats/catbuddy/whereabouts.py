"""Where else catbuddy's chats can be: other projects, projects that the registry lost, the SQLite store of older versions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli import settings
from memcli.formats.catbuddy import layout, places
from memcli.formats.facets import Neighbour, StoreFile
from memcli.model import Workspace

UNREGISTERED = "unregistered-project"
LOOKS = 2000
"""So many folders are tried for a project that no registry names."""


def standing(workspace: Workspace) -> str:
    """catbuddy opens the global workspace and the projects that `workspace-folders.json` names; nothing else on disk.

    Without a registry only what lies in a home's own `projects` is sure to be lost: a project elsewhere may be another
    machine's.
    """
    if workspace.era != "project" or workspace.files:
        return ""
    root = workspace.root
    above, name = os.path.split(os.path.dirname(root))
    if name == "projects" and places.is_home(above):
        home = above
    else:
        home = _own_home()
        if os.path.basename(root) != places.ANCHOR or not os.path.lexists(os.path.join(home, places.REGISTRY)):
            return ""
    return "" if os.path.realpath(root) in _registered(home) else UNREGISTERED


def neighbours(workspaces: Sequence[Workspace]) -> Iterator[Neighbour | str]:
    """The workspaces of the same home; and, around the user's own, projects that its registry does not name.

    These are looked for beside the registered ones, in the user's home folder and in the folders in it.
    """
    homes = dict.fromkeys(home for workspace in workspaces if (home := _home_of(workspace)))
    for home in homes:
        for workspace in layout.recognise(home):
            yield Neighbour(standing(workspace) or "other-workspace", workspace)
    if _own_home() in homes:
        yield from _strays(_own_home())


def stores(workspace: Workspace) -> Iterator[StoreFile]:
    """`sessions.db` and `sessions.db.bak`: chats of the SQLite era, which were never taken over."""
    for folder in () if workspace.files else workspace.sessions:
        for name in sorted(places.names(folder)):
            if name in ("sessions.db", "sessions.db.bak"):
                yield StoreFile("legacy-store", os.path.join(folder, name), "database")


def key_in(row: Mapping[str, Any]) -> str:
    """The schema of the SQLite era is not known; these are the names that a key has elsewhere."""
    for name in ("session_key", "sessionKey", "key"):
        if isinstance(row.get(name), str):
            return str(row[name])
    return ""


def _own_home() -> str:
    return os.path.join(os.path.abspath(settings.home()), places.ANCHOR)


def _home_of(workspace: Workspace) -> str:
    """The home that a workspace belongs to, "" for a copy outside any."""
    folder = workspace.root
    for _ in range(4):
        if os.path.basename(folder) == places.ANCHOR and not places.is_home(folder):
            return _own_home() if os.path.isdir(_own_home()) else ""
        if places.is_home(folder):
            return folder
        folder = os.path.dirname(folder)
    return ""


def _registered(home: str) -> set[str]:
    named = [path for project in places.registered(home) for path in (project.anchor, project.data) if path]
    return {os.path.realpath(path) for path in named}


def _strays(home: str) -> Iterator[Neighbour | str]:
    around = os.path.dirname(home)
    beside = [os.path.dirname(os.path.dirname(project.anchor)) for project in places.registered(home) if project.anchor]
    inside = [path for path in _folders(around) if not os.path.basename(path).startswith(".")]
    tried = 0
    known = _registered(home)
    for folder in dict.fromkeys([around, *beside, *inside]):
        for child in _folders(folder):
            tried += 1
            if tried > LOOKS:
                yield f"more than {LOOKS:,} folders in and around {around}, for projects that no registry names"
                return
            anchor = os.path.join(child, places.ANCHOR)
            if os.path.isdir(anchor) and os.path.realpath(anchor) not in known and not places.is_home(anchor):
                yield from (Neighbour(UNREGISTERED, one) for one in layout.recognise(anchor) if standing(one))


def _folders(folder: str) -> list[str]:
    """The folders in a folder, links left out: they lead to what is found elsewhere, or in a circle."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
