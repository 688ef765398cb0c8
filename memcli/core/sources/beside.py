"""Files beside the sessions that hold rows too: temporary files of interrupted writes, and conflict copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.sources.copies import copies
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.searched import searched
from memcli.core.surroundings import becomes
from memcli.formats import load
from memcli.model import Workspace

LOOKED = "temporary files and conflict copies"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Temporary files ("temp") and conflict copies ("conflict-copy"), `detail["original"]` the file each belongs to."""
    for workspace in scope.workspaces:
        if workspace.files:
            continue
        paths = sorted({*load(workspace.agent).layout.leftovers(workspace), *listing.paths(workspace)})
        temporary = {path: target for path in paths if (target := becomes(path)) is not None}
        for path, original in temporary.items():
            yield _source("temp", workspace, path, original)
        for path, original in copies(workspace, [path for path in paths if path not in temporary]).items():
            yield _source("conflict-copy", workspace, path, original)


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The rows in them that match."""
    return searched(sources, question)


def _source(layer: str, workspace: Workspace, path: str, original: str) -> Source:
    form = load(workspace.agent)
    key = listing.header_key(form, path) or form.layout.key_of(workspace, original or path)
    shown = listing.shown(workspace, path)
    return Source(layer, key, path, shown, workspace._replace(files=(path,)), {"original": original})
