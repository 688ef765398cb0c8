"""Where memcli keeps what it has of a workspace. A module of its own, because readers ask it who have no use for writing."""

from __future__ import annotations

import os

from memcli.formats import load
from memcli.model import Workspace
from memcli.storage import state
from memcli.storage.state import Store


def store(workspace: Workspace) -> Store:
    """The store of a workspace: under the agent's own id of it where there is one, else under its path.

    What was begun under the path, before the agent gave an id, goes on there.
    """
    by_path = state.store(workspace.root)
    known = load(workspace.agent).layout.own_id(workspace)
    by_id = state.store(workspace.root, known) if known else by_path
    return by_path if os.path.isdir(by_path.folder) and not os.path.isdir(by_id.folder) else by_id
