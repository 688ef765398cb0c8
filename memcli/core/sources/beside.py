"""Files beside the sessions that hold rows too: temporary files of interrupted writes, and conflict copies."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.sources.framework import Question, Scope, Source, Trace
from memcli.core.sources.searched import searched
from memcli.core.surroundings import becomes
from memcli.formats import load
from memcli.formats.copies import original_of
from memcli.model import Workspace

LAYER = "beside"
LOOKED = "temporary files and conflict copies"


def sources(scope: Scope) -> Iterator[Source]:
    """Temporary files ("temp") and conflict copies ("conflict-copy"), `detail["original"]` the file each belongs to."""
    for workspace in scope.workspaces:
        if workspace.files:
            continue
        layout = load(workspace.agent).layout
        for path in sorted({*layout.leftovers(workspace), *listing.paths(workspace)}):
            layer, original = _kind(path)
            if layer:
                key = listing.header_key(load(workspace.agent), path) or layout.key_of(workspace, original or path)
                shown = listing.shown(workspace, path)
                yield Source(layer, key, path, shown, _alone(workspace, path), {"original": original})


def traces(scope: Scope, question: Question) -> Iterator[Trace]:
    """The rows in them that match."""
    return searched(sources(scope), question)


def _kind(path: str) -> tuple[str, str]:
    """The layer of a file and the path of the one it belongs to, ("", "") for what is neither temporary nor a copy."""
    target = becomes(path)
    if target is not None:
        return "temp", target
    folder, name = os.path.split(path)
    names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    original = original_of(name, names)
    return ("conflict-copy", os.path.join(folder, original)) if original else ("", "")


def _alone(workspace: Workspace, path: str) -> Workspace:
    return workspace._replace(files=(path,))
