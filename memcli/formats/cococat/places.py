"""Where CocoCat keeps things: one look at a folder gives the agents, scenes and group chats that it holds.

V1 keeps everything below agents/<agent>/memory, V2a below agents/<agent>, V2b below scenes/<scene>; a real
folder may hold all three. Names are taken from the listing, so MEMORY.md (V1) and memory.md (V2) differ on
every disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from memcli.formats.cococat.records import is_foreign, is_session_row, score
from memcli.formats.reading import sample_values

HISTORY = "history.jsonl"
MESSAGES = "messages.jsonl"
SESSION = "session.jsonl"
CURSOR = ".dream_cursor"


class Agent(NamedTuple):
    """One agent's part: `name` is its folder's name, `memory` its memory folder, `folder` the agent folder,
    "" when only a memory folder stands there. `v1` and `v2` tell whose files were found; both may be."""

    name: str
    folder: str
    memory: str
    v1: bool
    v2: bool


class Survey(NamedTuple):
    """What one folder holds: agents, scene folders (V2b) and group chat folders, each sorted by name."""

    root: str
    agents: tuple[Agent, ...] = ()
    scenes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def era(self) -> str:
        """The newest generation whose files are here; the older ones' sessions are listed all the same."""
        if any(True for scene in self.scenes for _ in scene_users(scene, "memory", "sessions")):
            return "V2b"
        return "V2a" if any(agent.v2 for agent in self.agents) else "V1"


def survey(folder: str) -> Survey | None:
    """What `folder` holds as a project root, a folder of agents, an agent or a memory folder, or None."""
    found = _project(folder)
    if found is None and "config.toml" in names(folder):
        found = _unless_empty(Survey(folder, tuple(_agents(folder))))  # a folder of agents, sent without its root
    if found is not None:
        return found
    one = _agent(folder, os.path.basename(os.path.dirname(folder)) == "agents") or _bare_memory(folder)
    return Survey(folder, agents=(one,)) if one else None


def names(folder: str) -> list[str]:
    """The names in a folder, sorted; empty for whatever cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_sealed(folder: str) -> bool:
    """Whether `folder` is a folder that we may not list: what is in it is unknown, not absent."""
    try:
        os.scandir(folder).close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def folders(folder: str) -> Iterator[str]:
    """The folders in a folder (symlinks followed), by name, as paths."""
    for name in names(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            yield path


def users(memory: str) -> Iterator[str]:
    """The user folders of a V1 memory folder: hashes usually, but CocoCat's own tests make others."""
    yield from folders(os.path.join(memory, "users"))


def scene_users(scene: str, *kinds: str) -> Iterator[str]:
    """The user folders below a scene's "memory", "sessions" or "users" folder."""
    for kind in kinds:
        yield from folders(os.path.join(scene, kind))


def _project(root: str) -> Survey | None:
    agents = tuple(_agents(os.path.join(root, "agents")))
    scenes = tuple(folders(os.path.join(root, "scenes")))
    groups = tuple(path for path in folders(os.path.join(root, "chat")) if MESSAGES in names(path))
    if not agents and not any(_is_scene(scene) for scene in scenes):
        scenes = ()
        groups = groups if _are_groups(root, groups) else ()
    return _unless_empty(Survey(root, agents, scenes, groups))


def _unless_empty(found: Survey) -> Survey | None:
    return found if found.agents or found.scenes or found.groups else None


def _agents(folder: str) -> Iterator[Agent]:
    for path in folders(folder):
        name = os.path.basename(path)
        if name in ("mailbox", "hire_requests") or name.startswith("dispatch_"):
            continue
        # agents/memory is what the remember tool makes of an empty agent id
        agent = _bare_memory(path) if name == "memory" else _agent(path, True)
        if agent:
            yield agent


def _agent(folder: str, placed: bool) -> Agent | None:
    """The agent whose folder this is; `placed` tells that it stands in a folder called agents."""
    memory = os.path.join(folder, "memory")
    v1 = _is_v1_memory(memory, placed)
    v2 = _is_v2_agent(folder, names(memory), placed)
    return Agent(os.path.basename(folder), folder, memory, v1, v2) if v1 or v2 else None


def _bare_memory(folder: str) -> Agent | None:
    """A V1 memory folder whose agent folder is not known: agents/memory, or one that was sent by itself."""
    above, name = os.path.split(folder)
    misplaced = name == "memory" and os.path.basename(above) == "agents"
    owner = os.path.basename(above) if name == "memory" else name
    return Agent(owner, "", folder, True, False) if _is_v1_memory(folder, misplaced) else None


def _is_v1_memory(folder: str, placed: bool) -> bool:
    listing = names(folder)
    if not listing:
        return placed and is_sealed(folder)
    values = sample_values(os.path.join(folder, HISTORY)) if HISTORY in listing else []
    if is_foreign(values) or ".cursor" in listing:  # nanobot and its kin keep the same names, and .cursor beside them
        return False
    if score(values) >= 80:
        return True
    if placed:
        return bool({"MEMORY.md", HISTORY, CURSOR, "users"} & set(listing))
    return any(_is_hash(os.path.basename(user)) for user in users(folder))


def _is_hash(name: str) -> bool:
    return len(name) == 16 and not set(name) - set("0123456789abcdef")


def _is_v2_agent(folder: str, in_memory: list[str], placed: bool) -> bool:
    here = set(names(folder))
    marks = ("memory.md" in in_memory) + len(here & {"pinned.md", SESSION})
    if marks and (placed or marks > 1 or "sessions" in here or "compiled" in in_memory):
        return True
    return placed and "sessions" in here and _speaks_v2(os.path.join(folder, "sessions"))


def _is_scene(scene: str) -> bool:
    if any("memory.md" in names(user) for user in scene_users(scene, "memory")):
        return True
    if any(HISTORY in names(user) for user in scene_users(scene, "users")):
        return True
    return any(_speaks_v2(user) for user in scene_users(scene, "sessions"))


def _speaks_v2(folder: str) -> bool:
    """Whether the first session file that can be read at all holds bare role/content rows.

    OpenClaw, nanobot and others keep sessions/*.jsonl in the same place, but theirs start with a header."""
    for name in [name for name in names(folder) if name.endswith(".jsonl")][:8]:
        values = sample_values(os.path.join(folder, name))
        if values:
            return all(map(is_session_row, values))
    return False


def _are_groups(root: str, groups: tuple[str, ...]) -> bool:
    if os.path.exists(os.path.join(root, "chat", "groups.json")):
        return bool(groups)
    return any(score(_head(group)) >= 80 for group in groups)


def _head(group: str) -> list[Any]:
    return sample_values(os.path.join(group, MESSAGES))
