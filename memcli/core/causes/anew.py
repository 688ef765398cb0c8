"""What leaves little or no trace: memory files that the agent wrote anew, and faults of an agent that show nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.causes.peeking import beginning
from memcli.formats import faults, load, written_anew
from memcli.model import Workspace

HEAD = 4096


def sentences(workspace: Workspace) -> Iterator[str]:
    """A sentence for each such file of a workspace."""
    facet = load(workspace.agent).memory
    for memory in facet.files(workspace) if facet and not workspace.files else []:
        why = written_anew(workspace.agent, beginning(memory.path, HEAD).decode("utf-8", "replace"))
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
