"""The memory files, as they are now."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.memory_places import memory_files as memory_files
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.looking import look

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
