"""What leaves little or no trace: memory files that the agent wrote anew, and faults of an agent that show nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.errors import CannotRead
from memcli.formats import faults, load, written_anew
from memcli.model import Workspace
from memcli.storage.reading import open_regular

HEAD = 4096


def sentences(workspace: Workspace) -> Iterator[str]:
    """A sentence for each such file of a workspace."""
    facet = load(workspace.agent).memory
    for memory in facet.files(workspace) if facet and not workspace.files else []:
        why = written_anew(workspace.agent, _head(memory.path))
        if why:
            yield f"{listing.shown(workspace, memory.path)} was written anew: {why}."


def limits(workspaces: Sequence[Workspace]) -> Iterator[str]:
    """What cannot be known of these workspaces, in sentences."""
    for workspace in workspaces:
        yield from sentences(workspace)
    for agent in dict.fromkeys(workspace.agent for workspace in workspaces):
        fault = faults(agent).get("unknown")
        if fault:
            yield fault


def _head(path: str) -> str:
    try:
        fd = open_regular(path)
    except CannotRead:
        return ""
    try:
        return os.pread(fd, HEAD, 0).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(fd)
