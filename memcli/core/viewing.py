"""What an agent would make of a file if it held other bytes."""

from __future__ import annotations

import os

from memcli.core.examining import Target
from memcli.core.rows import read
from memcli.formats import load
from memcli.model import AgentView
from memcli.storage.reading import open_regular


def view(target: Target, source: str) -> AgentView:
    """What the agent would make of the target if it held the bytes of `source`."""
    workspace = target.workspace
    form = load(workspace.agent)
    name = os.path.basename(target.path)
    if target.shown != target.path or os.path.dirname(target.path) not in workspace.sessions:
        key = form.layout.key_of(workspace, target.path)
        name = form.layout.name_of(key, workspace.era) or name
    fd = open_regular(source)
    try:
        feed = ((row.line, row.decoded) for row in read(fd, form))
        return form.loader.view(feed, name, workspace.era)
    finally:
        os.close(fd)
