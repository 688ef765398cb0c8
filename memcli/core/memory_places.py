"""Which files of a workspace are its long-term memory."""

from __future__ import annotations

from memcli.formats import load
from memcli.formats.facets import MemoryFile
from memcli.model import Workspace


def memory_files(workspace: Workspace) -> list[MemoryFile]:
    """The memory files of a workspace, whether or not they exist, without those that are journals of older versions."""
    form = load(workspace.agent)
    if form.memory is None or workspace.files:
        return []
    journals = set(form.journal.texts(workspace)) if form.journal else set()
    return [memory for memory in form.memory.files(workspace) if memory.path not in journals]
