"""Folders with files of JSON lines that belong to no agent memcli knows better."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.formats.copies import original_of
from memcli.model import Workspace

SUFFIXES = (".jsonl", ".ndjson")

PLACES = {
    ".claude": ("projects/*",),
    ".codex": ("sessions/*/*/*", "archived_sessions"),
    ".pi": ("agent/sessions", "agent/sessions/*"),
    ".omp": ("agent/sessions", "agent/sessions/*", "profiles/*/agent/sessions/*"),
    ".openclaw": ("agents/*/sessions",),
}
"""Where agents that keep their chats some folders below their home have them: home -> folders with files."""


def homes(home: str) -> list[str]:
    """None: JSON lines are read where the user points at them, not wherever they may lie."""
    return []


def recognise(folder: str) -> list[Workspace]:
    """The folder when it holds files of JSON lines, or all the chat folders of a home named in PLACES."""
    folder = os.path.abspath(folder)
    for name, patterns in PLACES.items():
        for home in (folder, os.path.join(folder, name)):
            if os.path.basename(home) == name and os.path.isdir(home):
                found = [path for pattern in patterns for path in _matching(home, pattern) if _has_files(path)]
                if found:
                    return [Workspace("jsonl", home, tuple(found), (), name[1:], home)]
    return [Workspace("jsonl", folder, (folder,), (), "", folder)] if _has_files(folder) else []


def session_paths(workspace: Workspace) -> Iterator[str]:
    """Every name that ends in `.jsonl` or `.ndjson`, in capitals too."""
    if workspace.files:
        yield from workspace.files
        return
    for folder in workspace.sessions:
        for name in _names(folder):
            if name.lower().endswith(SUFFIXES):
                yield os.path.join(folder, name)


def key_of(workspace: Workspace, path: str) -> str:
    """The file's name without its suffix."""
    name = os.path.basename(path) or path
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in SUFFIXES else name


def name_of(key: str, era: str = "") -> str | None:
    """None: no rule leads from a key to a file."""
    return None


def leftovers(workspace: Workspace) -> Iterator[str]:
    """What has `.jsonl` inside its name, not at its end (temporary, reset, packed files ...), and copies."""
    for folder in workspace.sessions:
        here = set(_names(folder))
        for name in sorted(here):
            low = name.lower()
            inside = any(f"{suffix}." in low for suffix in SUFFIXES) and not low.endswith((*SUFFIXES, ".lock"))
            if inside or original_of(name, here):
                yield os.path.join(folder, name)


def own_id(workspace: Workspace) -> str:
    """Nobody in particular gives ids."""
    return ""


def displays(workspace: Workspace, key: str) -> list[str]:
    """None: what the user sees is made from the session itself."""
    return []


def _matching(home: str, pattern: str) -> list[str]:
    import glob

    return sorted(os.path.join(home, path) for path in glob.glob(pattern, root_dir=home))


def _has_files(folder: str) -> bool:
    """Whether a folder lists a file of JSON lines, whatever stands there but another folder."""
    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name.lower().endswith(SUFFIXES) and not entry.is_dir(follow_symlinks=False)
                for entry in entries  # links are not followed: one that leads in a circle is an error
            )
    except (OSError, ValueError):
        return False


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
