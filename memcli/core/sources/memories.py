"""The memory files, as they are now."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.looking import look
from memcli.formats import load
from memcli.formats.facets import MemoryFile
from memcli.model import Workspace

LAYER = "memory"
LOOKED = "memory files"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Every memory file that there is; `detail["layer"]` is the agent's layer of it. They belong to no session."""
    for workspace in scope.workspaces:
        for memory in memory_files(workspace):
            if os.path.lexists(memory.path):
                shown = listing.shown(workspace, memory.path)
                yield Source(LAYER, "", memory.path, shown, workspace, {"layer": memory.layer}, "text")


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The lines that match."""
    return look(sources, question)


def memory_files(workspace: Workspace) -> list[MemoryFile]:
    """The memory files of a workspace, whether or not they exist, without those that are journals of older versions."""
    form = load(workspace.agent)
    if form.memory is None or workspace.files:
        return []
    journals = set(form.journal.texts(workspace)) if form.journal else set()
    return [memory for memory in form.memory.files(workspace) if memory.path not in journals]
