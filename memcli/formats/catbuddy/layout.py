"""Where catbuddy's sessions are: the global workspace, three generations of project folders, bare copies."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.formats.catbuddy import places, records
from memcli.formats.catbuddy.names import SUFFIX, file_name, key_of_path
from memcli.formats.copies import original_of
from memcli.formats.reading import sample_values
from memcli.model import Workspace

SURE = 50
"""The score from which on a file is taken for catbuddy's."""
FILES_JUDGED = 8
FILES_TRIED = 64
"""A folder is judged by so many readable session files, looked for among so many."""


def homes(home: str) -> list[str]:
    """`~/.catbuddy`."""
    return [os.path.join(home, places.ANCHOR)]


def recognise(folder: str) -> list[Workspace]:
    """The workspaces at `folder`.

    The home gives the global workspace and every project that its registry names or its `projects` folder
    holds; a project, or a folder inside a `.catbuddy`, gives its own workspace. Any other folder is judged by
    the content of its session files or its journal. The registry is read whole, other files up to 4 KiB.
    """
    folder = os.path.abspath(folder)
    if not os.path.isdir(folder):
        return []
    return _by_place(folder) or _bare(folder)


def session_paths(workspace: Workspace) -> Iterator[str]:
    """Every name that ends in `.jsonl`, which is what catbuddy's own list goes by."""
    if workspace.files:
        yield from workspace.files
        return
    for folder in workspace.sessions:
        start = os.path.join(folder, "")
        yield from [start + name for name in places.names(folder) if name.endswith(SUFFIX)]


def key_of(workspace: Workspace, path: str) -> str:
    """The key that a file name tells; which of `_` was what is lost, so the header's key is the truth."""
    return key_of_path(path)


def name_of(key: str, era: str = "") -> str | None:
    """The file that catbuddy keeps the session `key` in."""
    return file_name(key)


def leftovers(workspace: Workspace) -> Iterator[str]:
    """Temporary files, the SQLite store of older versions, and what sync tools and editors copied.

    Copies whose name ends in `.jsonl` are listed as sessions too: catbuddy does so.
    """
    for folder in (*workspace.sessions, *workspace.memory):
        here = set(places.names(folder))
        for name in sorted(here):
            if name.endswith(".jsonl.tmp") or name.startswith("sessions.db") or original_of(name, here):
                yield os.path.join(folder, name)


def own_id(workspace: Workspace) -> str:
    """catbuddy gives projects ids in its own list, none in their folders."""
    return ""


def displays(workspace: Workspace, key: str) -> list[str]:
    """None: what the user sees is made from the session itself."""
    return []


def _by_place(folder: str) -> list[Workspace]:
    if os.path.basename(folder) == places.ANCHOR or os.path.lexists(os.path.join(folder, places.REGISTRY)):
        return _at_anchor(folder)
    inside = os.path.join(folder, places.ANCHOR)
    if os.path.isdir(inside):
        return _at_anchor(inside)
    for anchor in _anchors_above(folder):
        return [one for one in _at_anchor(anchor) if _touches(one, folder)]
    return []


def _at_anchor(anchor: str) -> list[Workspace]:
    """The workspaces of a `.catbuddy` folder, or of a home under another name."""
    if not places.is_home(anchor):
        found = _workspace("project", anchor, places.folders_below(anchor, places.data_folder(anchor)))
        return [found] if found else []
    main = os.path.join(anchor, "workspace")
    found = _workspace("global", main, places.Folders(*(places.existing([main], n) for n in ("sessions", "memory"))))
    workspaces = [found] if found else []
    taken = {path for one in workspaces for path in (*one.sessions, *one.memory)}
    for project in places.projects(anchor):
        # a project whose root is the home folder has the global workspace for its own
        below = places.folders_below(project.anchor, project.data)
        fresh = places.Folders(*(tuple(path for path in kind if path not in taken) for kind in below))
        found = _workspace("project", _root(project), fresh)
        if found:
            taken.update((*found.sessions, *found.memory))
            workspaces.append(found)
    return workspaces


def _root(project: places.Project) -> str:
    if project.anchor and (os.path.isdir(project.anchor) or not project.data):
        return project.anchor
    return project.data or ""


def _workspace(era: str, root: str, folders: places.Folders) -> Workspace | None:
    if not (folders.sessions or folders.memory):
        return None
    return Workspace("catbuddy", root, folders.sessions, folders.memory, era, root)


def _anchors_above(folder: str) -> Iterator[str]:
    """The `.catbuddy` that `folder` lies in, no deeper than catbuddy's own folders do."""
    for _ in range(4):
        folder = os.path.dirname(folder)
        if os.path.basename(folder) == places.ANCHOR:
            yield folder


def _touches(workspace: Workspace, folder: str) -> bool:
    """Whether `folder` is one of the workspace's folders or lies on the way to one."""
    return any(
        path == folder or path.startswith(folder + os.sep)
        for path in (workspace.root, *workspace.sessions, *workspace.memory)
    )


def _bare(folder: str) -> list[Workspace]:
    """A workspace outside any known place, told by content: `folder`, its parent or its `workspace`."""
    above = os.path.dirname(folder)
    name = os.path.basename(folder)
    for root in (above, folder) if name in ("sessions", "memory") else (folder, os.path.join(folder, "workspace")):
        sessions, memory = (places.existing([root], kind) for kind in ("sessions", "memory"))
        if (sessions or memory) and _is_ours(sessions, memory):
            return [Workspace("catbuddy", root, sessions, memory, "", root)]
    if _votes(folder) > 0:
        return [Workspace("catbuddy", folder, (folder,), (), "", folder)]
    return [Workspace("catbuddy", folder, (), (folder,), "", folder)] if _has_journal(folder) else []


def _is_ours(sessions: tuple[str, ...], memory: tuple[str, ...]) -> bool:
    """By the session files when they show anything, else by the journal."""
    votes = sum(_votes(folder) for folder in sessions)
    if votes:
        return votes > 0
    return any(_has_journal(folder) for folder in memory)


def _has_journal(folder: str) -> bool:
    return records.score(sample_values(os.path.join(folder, "history.jsonl"))) >= SURE


def _votes(folder: str) -> int:
    """How many of the first few session files look like catbuddy's, less those that look like others'."""
    votes = judged = 0
    try:
        with os.scandir(folder) as entries:
            for tried, entry in enumerate(entry for entry in entries if entry.name.endswith(SUFFIX)):
                if judged == FILES_JUDGED or tried == FILES_TRIED:
                    break
                values = sample_values(entry.path) if entry.name != "history.jsonl" else []
                if values:
                    judged += 1
                    votes += 1 if records.score(values) >= SURE else -1
    except OSError:
        pass
    return votes
