"""The session files themselves, where the agent keeps its chats."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core import listing
from memcli.core.sources.framework import Question, Scope, Source, Trace
from memcli.core.sources.searched import searched
from memcli.formats import load

LAYER = "session"
LOOKED = "session files"


def sources(scope: Scope) -> Iterator[Source]:
    """Every session file; the key is the one that its name tells."""
    for workspace in scope.workspaces:
        layout = load(workspace.agent).layout
        for path in sorted(listing.paths(workspace)):
            yield Source(LAYER, layout.key_of(workspace, path), path, listing.shown(workspace, path), workspace)


def traces(scope: Scope, question: Question) -> Iterator[Trace]:
    """The rows that match, with the key of each file's header."""
    return searched(sources(scope), question)
