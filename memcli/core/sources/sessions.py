"""The session files themselves, where the agent keeps its chats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.sources.copies import copies
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.searched import searched
from memcli.formats import load, whereabouts

LAYER = "session"
LOOKED = "session files"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Every session file; the key is the one that its name tells. Copies beside them are another layer, and so are
    workspaces that the agent does not open ("unregistered-project", "other-workspace")."""
    for workspace in scope.workspaces:
        layout = load(workspace.agent).layout
        paths = sorted(listing.paths(workspace))
        layer = whereabouts(workspace.agent).standing(workspace) or LAYER
        twice = {} if workspace.files else copies(workspace, paths)
        for path in paths:
            if path not in twice:
                key, shown = layout.key_of(workspace, path), listing.shown(workspace, path)
                yield Source(layer, key, path, shown, workspace, kind="session")


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The rows that match, with the key of each file's header."""
    return searched(sources, question)
