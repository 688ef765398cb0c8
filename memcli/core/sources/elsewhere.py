"""Where else on this machine the chat can be: other workspaces, projects that the agent lost sight of, other stores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import discovering, listing
from memcli.core.sources.copies import copies
from memcli.core.sources.databases import rows_in
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.looking import look
from memcli.formats import load, whereabouts
from memcli.formats.facets import Neighbour
from memcli.model import Workspace

LOOKED = "other workspaces and stores on this machine"
OTHER = "other-workspace"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """The session files of other workspaces ("other-workspace", "unregistered-project"); and files that have words of
    chats and are no sessions, by the layer that the format calls them. What a user sent is looked at alone, and of the
    workspace around a single file no more than that."""
    own = [workspace for workspace in scope.workspaces if workspace.shown in ("", workspace.root, *workspace.files)]
    roots = {(workspace.agent, os.path.realpath(workspace.root)) for workspace in own}
    seen: set[str] = set()
    for workspace in scope.workspaces:
        seen.update(_real(list(listing.paths(workspace))))
    found: list[Workspace] = [workspace for workspace in scope.workspaces if not workspace.files]
    for neighbour in _neighbours([workspace for workspace in own if not workspace.files]) if own else ():
        if isinstance(neighbour, str):
            yield Unchecked(neighbour)
            continue
        if (neighbour.workspace.agent, os.path.realpath(neighbour.workspace.root)) in roots:
            continue
        paths = _sessions(neighbour.workspace)
        for path, real in zip(paths, _real(paths), strict=True):
            if real not in seen:
                seen.add(real)
                yield _session(neighbour, path)
        found.append(neighbour.workspace)
    stored: set[str] = set()
    for workspace in found:
        for source in _stores(workspace):
            if source.path not in stored:
                stored.add(source.path)
                yield source


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The places in them."""
    return look(sources, question)


def _neighbours(own: list[Workspace]) -> Iterator[Neighbour | str]:
    """Other workspaces around these, then those of the agents' usual homes; one may come more than once."""
    usual = discovering.at_home()
    agents: dict[str, list[Workspace]] = {}
    for workspace in (*own, *usual):
        agents.setdefault(workspace.agent, []).append(workspace)
    for agent, workspaces in agents.items():
        yield from whereabouts(agent).neighbours(workspaces)
    for workspace in usual:
        yield Neighbour(whereabouts(workspace.agent).standing(workspace) or OTHER, workspace)


def _real(paths: list[str]) -> list[str]:
    """The paths by which files are told apart, whatever links lead to their folders."""
    folders = {folder: os.path.realpath(folder) for folder in {os.path.dirname(path) for path in paths}}
    return [os.path.join(folders[os.path.dirname(path)], os.path.basename(path)) for path in paths]


def _sessions(workspace: Workspace) -> list[str]:
    paths = sorted(listing.paths(workspace))
    twice = copies(workspace, paths)
    return [path for path in paths if path not in twice]


def _session(neighbour: Neighbour, path: str) -> Source:
    workspace = neighbour.workspace
    key = load(workspace.agent).layout.key_of(workspace, path)
    return Source(neighbour.layer, key, path, listing.shown(workspace, path), workspace, kind="session")


def _stores(workspace: Workspace) -> Iterator[Source]:
    for store in whereabouts(workspace.agent).stores(workspace):
        shown = listing.shown(workspace, store.path)
        detail = {"original": store.original} if store.original else {}
        source = Source(
            store.layer, store.key, store.path, shown, workspace._replace(files=(store.path,)), detail, store.kind
        )
        yield source._replace(detail={"rows": rows_in(source)}) if store.kind == "database" else source
