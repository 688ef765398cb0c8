"""Where nanobot keeps things: its home, the namespaces of 0.3.5 in it, and the workspaces they belong to.

A home is the folder of config.json, usually ~/.nanobot. Since 0.3.5 its sessions/ holds one namespace a
workspace, named by the workspace's id (32 hex digits), with the workspace's path in the file
`.workspace`.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from memcli import settings

STATE = ".nanobot"
_HEX = frozenset("0123456789abcdef")
_WORKSPACE = r'"workspace"\s*:\s*("(?:[^"\\]|\\.)*")'


class Namespace(NamedTuple):
    """One sessions folder of 0.3.5: `claim` is the workspace path in its marker, "" when there is none to
    read."""

    path: str
    id: str
    claim: str


def namespaces(home: str) -> list[Namespace]:
    """The namespaces below a home, by name. A folder named like one counts if it has the marker or
    session files, or may not be looked into."""
    root = os.path.join(home, "sessions")
    found = []
    for name in sorted(names_in(root)):
        if is_id(name) and os.path.isdir(path := os.path.join(root, name)):
            claim = first_line(os.path.join(path, ".workspace"))
            marked = any(inner.endswith(".jsonl") or inner == ".workspace" for inner in names_in(path))
            if claim or marked or not os.access(path, os.R_OK | os.X_OK):
                found.append(Namespace(path, name, claim))
    return found


def workspaces_of(home: str, found: list[Namespace]) -> list[tuple[str, list[Namespace]]]:
    """The workspace folders of a home with the namespaces that belong to each; "" stands for a workspace
    that is gone.

    By id inside the home first: in a copied tree the markers still name the original. Then a folder in
    the home that is called as the marked one was. Last the marked path, unless the workspace there has
    another id (nanobot takes that for a copy and gives it a namespace of its own) or its namespace
    elsewhere (then this one is the copy).
    """
    inside = {path: workspace_id(path) for path in _folders_in(home)}
    default = os.path.join(home, "workspace")
    held: dict[str, list[Namespace]] = {default: []} if default in inside else {}
    if named := _configured(home):
        inside.setdefault(named, workspace_id(named))
        held.setdefault(named, [])
    gone: list[Namespace] = []
    for namespace in found:
        owner = next((path for path, known in inside.items() if known == namespace.id), "")
        owner = owner or _namesake(namespace, inside, found) or _claimed(namespace, home)
        if owner:
            held.setdefault(owner, []).append(namespace)
        else:
            gone.append(namespace)
    return [*held.items(), *(("", [namespace]) for namespace in gone)]


def workspace_id(workspace: str) -> str:
    """The id in a workspace's `.nanobot/workspace-id`, "" when there is none."""
    known = first_line(os.path.join(workspace, STATE, "workspace-id"))
    return known if is_id(known) else ""


def has_marker(workspace: str) -> bool:
    """Whether 0.3.5 or later has been here: the id file exists, readable or not."""
    return os.path.lexists(os.path.join(workspace, STATE, "workspace-id"))


def moved_namespace(workspace: str, home: str) -> Namespace | None:
    """The namespace in `home` that carries the id of `workspace` and would be adopted by it: its path is
    gone or the same."""
    known = workspace_id(workspace)
    path = os.path.join(home, "sessions", known)
    if not known or not os.path.isdir(path):
        return None
    claim = first_line(os.path.join(path, ".workspace"))
    stale = not os.path.isabs(claim) or not os.path.exists(claim)
    return Namespace(path, known, claim) if stale or same(claim, workspace) else None


def is_id(name: str) -> bool:
    """Whether a name is a workspace id: 32 lower-case hexadecimal digits."""
    return len(name) == 32 and _HEX.issuperset(name)


def same(one: str, other: str) -> bool:
    """Whether two paths lead to the same place."""
    return os.path.realpath(one) == os.path.realpath(other)


def names_in(folder: str) -> list[str]:
    """The names in a folder; none when it cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def first_line(path: str) -> str:
    """The stripped first line of a small marker file, "" when it cannot be read."""
    return os.fsdecode(head(path).split(b"\n")[0].strip()).replace("\0", "")


def head(path: str, limit: int = 4096) -> bytes:
    """The first bytes of a small file, b"" when it cannot be read."""
    from memcli.errors import CannotRead
    from memcli.storage.reading import open_regular

    try:
        fd = open_regular(path)
    except CannotRead:
        return b""
    try:
        return os.read(fd, limit)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _configured(home: str) -> str:
    """The workspace that config.json names, where it can be trusted: in the user's own home, or inside
    this one.

    The config.json of a copied or sent home names paths of another machine, or the reader's own
    workspace.
    """
    text = head(os.path.join(home, "config.json")).decode("utf-8", "replace")
    if '"workspace"' not in text:
        return ""
    import json
    import re

    stored = re.search(_WORKSPACE, text)
    try:
        path = str(json.loads(stored[1])) if stored else ""
    except ValueError:
        return ""
    if path.startswith("~/"):
        path = settings.home() + path[1:]
    path = os.path.normpath(path.replace("\0", ""))
    trusted = same(home, os.path.join(settings.home(), STATE)) or path.startswith(home + os.sep)
    return path if trusted and os.path.isabs(path) and os.path.isdir(path) else ""


def _folders_in(home: str) -> list[str]:
    """The folders of a home that can be a workspace: those with an id, and `workspace`."""
    paths = [os.path.join(home, name) for name in sorted(names_in(home)) if name != "sessions"]
    return [
        path for path in paths if os.path.isdir(path) and (os.path.basename(path) == "workspace" or workspace_id(path))
    ]


def _claimed(namespace: Namespace, home: str) -> str:
    claim = namespace.claim
    if not os.path.isabs(claim) or not os.path.isdir(claim):
        return ""
    known = workspace_id(claim)
    if known:
        homes = (os.path.dirname(claim), os.path.join(settings.home(), STATE))
        twins = (os.path.join(above, "sessions", known) for above in homes)
        mine = known == namespace.id and not any(
            os.path.isdir(twin) and not same(twin, namespace.path) for twin in twins
        )
    else:  # without an id nanobot goes by the marker; that is only safe where the marker was written
        mine = same(home, os.path.join(settings.home(), STATE)) or same(home, os.path.dirname(claim))
    return os.path.normpath(claim) if mine else ""


def _namesake(namespace: Namespace, inside: dict[str, str], found: list[Namespace]) -> str:
    """The folder of a copied home whose `.nanobot` was left behind."""
    if not namespace.claim or len(found) > 1:
        return ""
    for path, known in inside.items():
        if not known and os.path.basename(path) == os.path.basename(namespace.claim):
            return path
    return ""
