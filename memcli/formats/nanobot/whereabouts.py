"""Where else nanobot's chats can be: other workspaces of its home, and the files that it keeps beside the sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.formats.facets import Neighbour, StoreFile
from memcli.formats.nanobot import layout, places
from memcli.formats.nanobot.names import SUFFIX, told_key
from memcli.model import Workspace

CONFLICTS = ".migration-conflicts"
CHECKPOINT = ".checkpoint.json"


def standing(workspace: Workspace) -> str:
    """A namespace that belongs to no workspace of its home is shown by none of them."""
    orphan = workspace.root in workspace.sessions and places.is_id(os.path.basename(workspace.root))
    home = os.path.dirname(os.path.dirname(workspace.root))
    return "other-workspace" if orphan and os.path.isdir(os.path.join(home, "workspace")) else ""


def neighbours(workspaces: Sequence[Workspace]) -> Iterator[Neighbour | str]:
    """The other workspaces of the same homes, with the namespaces that belong to a workspace which is gone, and the global
    sessions folder of 0.1.3."""
    for home in dict.fromkeys(home for workspace in workspaces for home in _homes(workspace)):
        for workspace in layout.recognise(home):
            yield Neighbour("other-workspace", workspace)


def stores(workspace: Workspace) -> Iterator[StoreFile]:
    """Turns in flight (`.checkpoint.json`), the losers of the move to 0.3.5, what the WebUI showed, and long results of
    tools."""
    if workspace.files:
        return
    for folder in workspace.sessions:
        for name in places.names_in(folder):
            if name.endswith(CHECKPOINT):
                session = name.removesuffix(CHECKPOINT) + SUFFIX
                yield _beside(workspace, "checkpoint", folder, name, session, "text")
        conflicts = os.path.join(folder, CONFLICTS)
        for name in places.names_in(conflicts):
            session = name.partition(".")[0] + SUFFIX
            yield _beside(workspace, "conflict-copy", conflicts, name, session, "rows", folder)
    for home in dict.fromkeys(_homes(workspace)):
        yield from _transcripts(os.path.join(home, "webui"))
    results = os.path.join(workspace.root, places.STATE, "tool-results")
    for folder in places.names_in(results):
        for name in places.names_in(os.path.join(results, folder)):
            yield StoreFile("tool-result", os.path.join(results, folder, name), "text", told_key(folder, ""))


def key_in(row: Mapping[str, Any]) -> str:
    """nanobot keeps no database."""
    return ""


def _homes(workspace: Workspace) -> Iterator[str]:
    """The homes around a workspace, as far as its own place tells."""
    for folder in workspace.sessions:
        above = os.path.dirname(folder)
        if places.is_id(os.path.basename(folder)) and os.path.basename(above) == "sessions":
            yield os.path.dirname(above)
        elif os.path.basename(above) == places.STATE:  # the global folder of 0.1.3
            yield above
    above, name = os.path.split(workspace.root)
    if os.path.basename(above) == places.STATE or (name == "workspace" and "config.json" in places.names_in(above)):
        yield above


def _beside(
    workspace: Workspace, layer: str, folder: str, name: str, session: str, kind: str, place: str = ""
) -> StoreFile:
    original = os.path.join(place or folder, session)
    return StoreFile(layer, os.path.join(folder, name), kind, told_key(session, workspace.era), original)


def _transcripts(folder: str) -> Iterator[StoreFile]:
    """What the WebUI keeps to show a chat again, under lossy names: rows, one document, or rows in segments."""
    for name in sorted(places.names_in(folder)):
        stem, suffix = os.path.splitext(name)
        key = told_key(stem, "")
        if suffix in (SUFFIX, ".json"):
            kind = "rows" if suffix == SUFFIX else "text"
            yield StoreFile("webui-transcript", os.path.join(folder, name), kind, key)
        elif suffix == ".segments":
            for inner in sorted(places.names_in(os.path.join(folder, name))):
                if inner.endswith(SUFFIX):
                    yield StoreFile("webui-transcript", os.path.join(folder, name, inner), "rows", key)
