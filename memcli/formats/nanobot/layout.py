"""Where nanobot's sessions and memory are on disk, for all five generations and for trees that were
copied or cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from memcli import settings
from memcli.formats.nanobot import places
from memcli.formats.nanobot.memory import is_daily_note
from memcli.formats.nanobot.names import (
    LOSSY_ERAS,
    SUFFIX,
    encoded_name,
    is_surely_encoded,
    lossy_name,
    told_key,
)
from memcli.formats.nanobot.records import is_journal_entry, score
from memcli.formats.reading import sample_values
from memcli.model import Workspace

AGENT = "nanobot"


def homes(home: str) -> list[str]:
    """~/.nanobot, where config.json is unless --config names another."""
    return [os.path.join(home, places.STATE)]


def recognise(folder: str) -> list[Workspace]:
    """The workspaces that `folder` is, belongs to or holds: a home or the folder around it, a workspace,
    a sessions folder or namespace, a memory folder, or the `.nanobot` inside a workspace."""
    folder = os.path.abspath(folder)
    if not os.path.isdir(folder):
        return []
    if found := _of_home(folder):
        return found
    above = os.path.dirname(folder)
    if own := _workspace(folder):
        return [own]
    name = os.path.basename(folder)
    if name == "sessions" and (beside := _of_home(above)):
        return beside
    around = _workspace(above) if name in ("sessions", "memory", places.STATE) else None
    if around and (name == places.STATE or folder in (*around.sessions, *around.memory)):
        return [around]
    if name != places.STATE and (held := _of_home(os.path.join(folder, places.STATE))):
        return held
    if os.path.basename(above) == "sessions" and places.is_id(name):
        holding = [one for one in _of_home(os.path.dirname(above)) if folder in one.sessions]
        if holding:
            return holding
    return _loose(folder)


def session_paths(workspace: Workspace) -> Iterator[str]:
    """Every *.jsonl in the session folders, names that nanobot would not read included (pathlib's glob,
    dot files too)."""
    if workspace.files:
        yield from workspace.files
        return
    for folder in workspace.sessions:
        for name in places.names_in(folder):
            if name.endswith(SUFFIX):
                yield os.path.join(folder, name)


def key_of(workspace: Workspace, path: str) -> str:
    """The key that the file name tells; a lossy name is guessed back only where it is not ambiguous."""
    return told_key(os.path.basename(path), workspace.era)


def name_of(key: str, era: str = "") -> str | None:
    """The file name that nanobot of `era` gives to `key`; the newest rule when the era is not known."""
    return lossy_name(key) if era in LOSSY_ERAS else encoded_name(key)


def leftovers(workspace: Workspace) -> Iterator[str]:
    """Interrupted saves, checkpoint sidecars, conflicts of the move to 0.3.5, copies that sync tools
    made, and the HISTORY.md that was turned into history.jsonl. Copies that end in `.jsonl` are session
    files as well."""
    from memcli.formats.copies import original_of

    for folder in (*workspace.sessions, *workspace.memory):
        here = set(places.names_in(folder))
        for name in sorted(here):
            if name == ".migration-conflicts":
                conflicts = os.path.join(folder, name)
                yield from (os.path.join(conflicts, inner) for inner in places.names_in(conflicts))
            elif name.endswith(_LEFT) or name.startswith("HISTORY.md.bak") or original_of(name, here):
                yield os.path.join(folder, name)


def own_id(workspace: Workspace) -> str:
    """The id of 0.3.5, where the namespace that is called so is this workspace's: the folder that its marker names is this one,
    or is gone. Of a copied folder 0.3.5 makes a workspace of its own (_claim_workspace_namespace)."""
    known = places.workspace_id(workspace.root)
    for folder in workspace.sessions if known else ():
        if os.path.basename(folder) == known:
            claim = places.first_line(os.path.join(folder, ".workspace"))
            moved = not os.path.isabs(claim) or not os.path.exists(claim)
            return known if moved or places.same(claim, workspace.root) else ""
    return ""


def displays(workspace: Workspace, key: str) -> list[str]:
    """What the WebUI keeps to show a chat, in `webui` of the home and under lossy names in every version."""
    stem = lossy_name(key).removesuffix(SUFFIX)
    homes = [os.path.dirname(workspace.root)]
    homes += [os.path.dirname(os.path.dirname(folder)) for folder in workspace.sessions]
    folders = dict.fromkeys(os.path.join(home, "webui") for home in homes)
    paths = [os.path.join(folder, stem + suffix) for folder in folders for suffix in _DISPLAYED]
    return [path for path in paths if os.path.lexists(path)]


# ------------------------------------------------------------------ what a folder is


def _of_home(folder: str) -> list[Workspace]:
    """The workspaces of `folder` read as a home, [] when it is none."""
    found = places.namespaces(folder)
    default = os.path.join(folder, "workspace")
    named = os.path.basename(folder) == places.STATE
    if not found and not named and not (os.path.isdir(default) and _evidence(default)):
        return []
    flat = os.path.join(folder, "sessions")
    has_flat = any(name.endswith(SUFFIX) for name in places.names_in(flat))
    workspaces = []
    for root, held in places.workspaces_of(folder, found):
        sessions = [namespace.path for namespace in held]
        if root == default and has_flat:  # the global folder of 0.1.3 and before
            sessions.append(flat)
            has_flat = False
        workspaces.append(_assembled(root or sessions[0], sessions, bool(held)))
    if has_flat:
        workspaces.append(Workspace(AGENT, folder, (flat,), (), "E0", folder))
    return [one for one in workspaces if one.sessions or one.memory]


def _workspace(folder: str) -> Workspace | None:
    """`folder` read as a workspace, with the namespace that a home keeps for it."""
    usual = os.path.join(settings.home(), places.STATE)
    above = os.path.dirname(folder)
    evidence = _evidence(folder)
    if os.path.basename(folder) == "workspace" or evidence:
        for home in dict.fromkeys((above, usual)):
            for one in _of_home(home):
                if places.same(one.root, folder) and one.root not in one.sessions:
                    return _renamed(one, folder)
    if not evidence:
        return None
    moved = [space for home in (above, usual) if (space := places.moved_namespace(folder, home))]
    sessions = list(dict.fromkeys(space.path for space in moved))
    found = _assembled(folder, sessions, bool(moved))
    return found if found.sessions or found.memory else None


def _evidence(folder: str) -> bool:
    """Whether a folder is one of nanobot's workspaces, by its own files alone."""
    return (
        places.has_marker(folder)
        or _holds_chats(os.path.join(folder, "sessions"))
        or _holds_memory(os.path.join(folder, "memory"))
        or _is_versioned(folder)
    )


def _loose(folder: str) -> list[Workspace]:
    """A sessions or memory folder that was copied out of its workspace."""
    names = places.names_in(folder)
    marked = ".workspace" in names or ".session-files.lock" in names
    if _holds_chats(folder) or (marked and any(name.endswith(SUFFIX) for name in names)):
        return [Workspace(AGENT, folder, (folder,), (), "E4" if marked else _era((folder,), ()), folder)]
    if _holds_memory(folder):
        return [Workspace(AGENT, folder, (), (folder,), _era((), (folder,)), folder)]
    return []


def _assembled(root: str, outside: list[str], has_namespace: bool) -> Workspace:
    """The workspace at `root` with the session folders of a home, its own older one, and its memory."""
    own = os.path.join(root, "sessions")
    sessions = (*outside, own) if os.path.isdir(own) else tuple(outside)
    memory = os.path.join(root, "memory")
    kept = (memory,) if os.path.isdir(memory) else ()
    era = "E4" if has_namespace or places.has_marker(root) else _era(sessions, kept)
    return Workspace(AGENT, root, sessions, kept, era, root)


def _renamed(workspace: Workspace, root: str) -> Workspace:
    """The same workspace under the path by which it was asked for."""
    if workspace.root == root:
        return workspace
    swap = {os.path.join(workspace.root, name): os.path.join(root, name) for name in ("sessions", "memory")}
    return workspace._replace(
        root=root,
        shown=root,
        sessions=tuple(swap.get(path, path) for path in workspace.sessions),
        memory=tuple(swap.get(path, path) for path in workspace.memory),
    )


def _era(sessions: tuple[str, ...], memory: tuple[str, ...]) -> str:
    """The generation of a workspace without namespaces, as far as the disk tells; the journal tells E1
    from E2."""
    names = [name for folder in sessions for name in islice(_session_names(folder), _LOOKED_AT)]
    if any(map(is_surely_encoded, names)):
        return "E3"
    kept = {name for folder in memory for name in places.names_in(folder)}
    if "history.jsonl" in kept:
        return "E2"
    if any(name.startswith("HISTORY.md") for name in kept):
        return "E1"
    globally = bool(sessions) and all(os.path.basename(os.path.dirname(path)) == places.STATE for path in sessions)
    if globally or (not sessions and any(map(is_daily_note, kept))):
        return "E0"
    return "E2"


# ------------------------------------------------------------------ what files tell


def _holds_chats(folder: str) -> bool:
    """Whether a folder's session files are nanobot's: an encoded name, or a header in one of the first
    few files."""
    names = list(islice(_session_names(folder), _LOOKED_AT))
    if any(map(is_surely_encoded, names)):
        return True
    return any(_is_chat(os.path.join(folder, name)) for name in names[:_OPENED])


def _is_chat(path: str) -> bool:
    values = sample_values(path)
    return score(values) >= _SURE and not any(map(is_journal_entry, values))


def _holds_memory(folder: str) -> bool:
    """Whether a memory folder is nanobot's: entries with a cursor and a stamp, or MEMORY.md beside
    HISTORY.md."""
    if any(map(is_journal_entry, sample_values(os.path.join(folder, "history.jsonl")))):
        return True
    names = ("HISTORY.md", "MEMORY.md")
    if os.path.basename(folder) != "memory":
        return False
    return all(os.path.isfile(os.path.join(folder, name)) for name in names)


def _is_versioned(folder: str) -> bool:
    """Whether .gitignore is the one that nanobot's GitStore writes: all but the memory files."""
    return (
        os.path.isfile(os.path.join(folder, "SOUL.md"))
        and places.first_line(os.path.join(folder, ".gitignore")) == "/*"
    )


def _session_names(folder: str) -> Iterator[str]:
    """Names of possible session files, without listing a large folder to its end."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and entry.name != "history.jsonl":
                    yield entry.name
    except OSError:
        return


_LOOKED_AT, _OPENED, _SURE = 200, 16, 80
_DISPLAYED = (".jsonl", ".json", ".segments")
_LEFT = (".tmp", ".checkpoint.json", ".jsonl.bak", ".jsonl~")
