"""Where CocoCat's sessions are: journals and group chats (V1), session files (V2), and what lies beside."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.formats.cococat.places import (
    HISTORY,
    MESSAGES,
    SESSION,
    Survey,
    is_sealed,
    names,
    scene_users,
    survey,
    users,
)
from memcli.formats.copies import original_of
from memcli.model import Workspace


def homes(home: str) -> list[str]:
    """The names that a checkout usually has: CocoCat keeps its data there, no setting moves it."""
    return [os.path.join(home, "CocoCat"), os.path.join(home, "cococat")]


def recognise(folder: str) -> list[Workspace]:
    """The workspace that `folder` is or belongs to.

    A project root, its agents, chat and scenes folders and what is below the last two stand for the whole
    project; an agent folder and the memory, users and sessions folders in it stand for that agent alone.
    """
    folder = os.path.abspath(folder)
    for candidate in _candidates(folder):
        found = survey(candidate)
        if found:
            return [_workspace(found)]
    return []


def session_paths(workspace: Workspace) -> Iterator[str]:
    """Every journal, group chat and session file, whatever stands at the path.

    The journal of a memory folder that may not be listed is among them, so that it shows as unreadable.
    """
    if workspace.files:
        yield from workspace.files
        return
    found = survey(workspace.root)
    if found is None:
        return
    for agent in found.agents:
        for folder in (agent.memory, *users(agent.memory)):
            if HISTORY in names(folder) or is_sealed(folder):
                yield os.path.join(folder, HISTORY)
        if agent.folder:
            if SESSION in names(agent.folder):
                yield os.path.join(agent.folder, SESSION)
            yield from _rows(os.path.join(agent.folder, "sessions"))
    for group in found.groups:
        yield os.path.join(group, MESSAGES)
    for scene in found.scenes:
        for folder in scene_users(scene, "sessions"):
            yield from _rows(folder)
        for folder in scene_users(scene, "users"):
            if HISTORY in names(folder):
                yield os.path.join(folder, HISTORY)


def key_of(workspace: Workspace, path: str) -> str:
    """The key that places tell: V1 `leader` (an agent's journal), `leader/<user hash>` and `group:<id>`, V2a
    `leader/<id>`, V2b `scene/user/<id>`."""
    folder, name = os.path.split(path)
    above, own = os.path.split(folder)
    stem = name.removesuffix(".jsonl") or name
    if name == MESSAGES and os.path.basename(above) == "chat":
        return f"group:{own}"
    if name == HISTORY and os.path.basename(above) == "users":
        return f"{_owner(workspace, path, os.path.dirname(above))}/{own}"
    if name == HISTORY:
        return _owner(workspace, path, folder) or stem
    if name == SESSION:
        return f"{_owner(workspace, path, folder)}/{stem}"
    if own == "sessions":
        return f"{_owner(workspace, path, above)}/{stem}"
    if os.path.basename(above) == "sessions":
        return f"{_owner(workspace, path, os.path.dirname(above))}/{own}/{stem}"
    return stem


def name_of(key: str, era: str = "") -> str | None:
    """None: a CocoCat key names folders, and the files in them are all called alike."""
    return None


def leftovers(workspace: Workspace) -> Iterator[str]:
    """Locks and temporary files of interrupted edits, copies of journals and sessions, and `cococat.db`.

    The database holds V1's full dialogues (table `messages`) with its -wal and -shm; memcli does not read it.
    """
    if workspace.files:
        return
    found = survey(workspace.root)
    if found is None:
        return
    yield from _named(found.root, [name for name in names(found.root) if name.startswith("cococat.db")])
    for agent in found.agents:
        for folder in (agent.memory, *users(agent.memory)):
            yield from _beside(folder)
        if agent.folder:
            yield from _beside(agent.folder)
            yield from _beside(os.path.join(agent.folder, "sessions"), sessions=True)
    for group in found.groups:
        yield from _beside(group)
    for scene in found.scenes:
        for folder in scene_users(scene, "memory", "users"):
            yield from _beside(folder)
        for folder in scene_users(scene, "sessions"):
            yield from _beside(folder, sessions=True)


def own_id(workspace: Workspace) -> str:
    """CocoCat knows its folders by their paths."""
    return ""


def displays(workspace: Workspace, key: str) -> list[str]:
    """None: what the user sees is made from the session itself."""
    return []


def _candidates(folder: str) -> Iterator[str]:
    """The roots that `folder` may belong to by its place, the widest first, then the folder itself."""
    for pattern in (*_IN_PROJECT, *_IN_AGENT):
        root = folder
        for expected in reversed(pattern):
            root, name = os.path.split(root)
            if expected not in ("*", name):
                break
        else:
            # agents/memory is no part of an agent called "agents"
            if pattern in _IN_PROJECT or os.path.basename(root) != "agents":
                yield root
    yield folder


def _workspace(found: Survey) -> Workspace:
    sessions: list[str] = []
    memory: list[str] = []
    for agent in found.agents:
        memory.append(agent.memory)
        if agent.v1:
            sessions.append(agent.memory)
        if agent.v2:
            sessions += [agent.folder, os.path.join(agent.folder, "sessions")]
    sessions += found.groups
    for scene in found.scenes:
        sessions += [os.path.join(scene, "sessions"), os.path.join(scene, "users")]
        memory.append(os.path.join(scene, "memory"))
    return Workspace(
        "cococat",
        found.root,
        tuple(path for path in sessions if os.path.isdir(path)),
        tuple(path for path in memory if os.path.isdir(path)),
        found.era,
        found.root,
    )


def _owner(workspace: Workspace, path: str, folder: str) -> str:
    """The name of the agent or scene whose file `path` is; a memory folder stands for the folder around it.

    What was unpacked stands in a folder with a random name: the name of what the user gave is the better one.
    """
    if os.path.basename(folder) == "memory":
        folder = os.path.dirname(folder)
    given = path if workspace.files else workspace.root
    if folder == workspace.root and workspace.shown not in ("", given):
        name = os.path.basename(workspace.shown)
        for suffix in (".gz", ".xz", ".bz2", ".tgz", ".zip", ".tar", ".jsonl"):
            name = name.removesuffix(suffix)
        return name or workspace.shown
    return os.path.basename(folder)


def _rows(folder: str) -> Iterator[str]:
    return _named(folder, [name for name in names(folder) if _is_session(name)])


def _beside(folder: str, sessions: bool = False) -> Iterator[str]:
    """The leftovers in a folder that keeps one journal or chat, or one with `sessions`.

    Copies of session files are listed as sessions too, since CocoCat takes them for such.
    """
    here = names(folder)
    for name in here:
        other = ".jsonl" in name and not (_is_session(name) if sessions else name in (HISTORY, MESSAGES, SESSION))
        if other or _is_temporary(name) or original_of(name, here):
            yield os.path.join(folder, name)


def _named(folder: str, chosen: list[str]) -> Iterator[str]:
    return (os.path.join(folder, name) for name in chosen)


def _is_session(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith(".")


def _is_temporary(name: str) -> bool:
    return name.startswith(".atomic_") or name.endswith((".tmp", ".lock", ".bak"))


_IN_PROJECT = (
    ("agents",),
    ("chat",),
    ("chat", "*"),
    ("scenes",),
    ("scenes", "*"),
    ("scenes", "*", "*"),
    ("scenes", "*", "*", "*"),
)
_IN_AGENT = (
    ("memory",),
    ("memory", "users"),
    ("memory", "users", "*"),
    ("sessions",),
    ("users",),
    ("users", "*"),
)
