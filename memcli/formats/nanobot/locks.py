"""The locks that nanobot takes since 0.3.5 (filelock, which is flock): `.session-files.lock` for every load and save, and
`.workspace-migration.lock` while it moves the sessions of a workspace to their folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcli.formats.nanobot import places
from memcli.model import Workspace

if TYPE_CHECKING:
    from memcli.storage.holders import Lock

NAME = ".session-files.lock"
MOVING = ".workspace-migration.lock"


def locks(workspace: Workspace) -> list[Lock]:
    """One for each session folder, and for the folder of session folders, that has the file: older versions lock nothing."""
    from memcli.storage.holders import Lock

    paths = [os.path.join(folder, NAME) for folder in workspace.sessions]
    paths += dict.fromkeys(os.path.join(os.path.dirname(folder), MOVING) for folder in workspace.sessions)
    return [Lock("flock", path) for path in paths if os.path.lexists(path)]


def beacons(workspace: Workspace) -> list[str]:
    """`run/gateway*.json` of the home, which a running gateway writes; the home is where config.json is."""
    homes = [os.path.dirname(workspace.root)]
    homes += [os.path.dirname(os.path.dirname(folder)) for folder in workspace.sessions]
    found = []
    for home in dict.fromkeys(homes):
        folder = os.path.join(home, "run")
        names = places.names_in(folder)
        found += [os.path.join(folder, name) for name in names if name.startswith("gateway") and name.endswith(".json")]
    return found
