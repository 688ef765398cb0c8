"""Repositories of a bundle: as empty of history as can be, and in the state in which memory was found."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from memcli import settings
from memcli.damage.framework import VersionState

_NOBODY = ("-c", "user.name=memcli", "-c", "user.email=memcli@invalid", "-c", "core.autocrlf=false")
_TIME = "2000-01-01T00:00:00Z"


def remake(into: str, states: Sequence[VersionState], name: Callable[[str], str]) -> list[str]:
    """Make the repositories that `states` tell of below the folder `into`, where `name` gives each path's name; sentences on
    what could not be made."""
    told: list[str] = []
    inner = {folder: commits for state in states for folder, commits in state.nested}
    for state in sorted(states, key=lambda one: -len(one.folder)):
        folder = _folder(into, state.folder, name)
        for nested, commits in state.nested:
            if not any(one.folder == nested for one in states):
                told += _made(_folder(into, nested, name), (), commits)
        if state.state == "broken":
            os.makedirs(os.path.join(folder, ".git"), mode=0o700, exist_ok=True)
            with open(os.path.join(folder, ".git", "config"), "w", encoding="utf-8") as file:
                file.write("broken\n")
        elif state.state == "there":
            changed = {os.path.join(into, name(path)) for path in state.changed}
            told += _made(folder, tuple(changed), state.folder not in inner or inner[state.folder])
    return told


def _folder(into: str, path: str, name: Callable[[str], str]) -> str:
    return os.path.dirname(os.path.join(into, name(os.path.join(path, "MEMORY.md"))))


def _made(folder: str, changed: Sequence[str], commits: bool) -> list[str]:
    """A repository with one commit of the memory files, those `changed` with other bytes than they have now."""
    import subprocess

    env = {
        "PATH": settings.variable("PATH"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_DATE": _TIME,
        "GIT_COMMITTER_DATE": _TIME,
    }
    os.makedirs(folder, mode=0o700, exist_ok=True)

    def git(*words: str) -> None:
        command = ["git", *_NOBODY, "-C", folder, *words]
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=30)

    held = {path: _content(path) for path in changed}
    try:
        git("init", "--quiet", "--template=", "--initial-branch=main")
        for inside in ("refs", "objects"):  # archives keep no empty folders, and git wants these
            _put_back(os.path.join(folder, ".git", inside, ".keep"), b"")
        if commits:
            for path, raw in held.items():
                with open(path, "wb") as file:
                    file.write(b"another version\n" if raw is None or raw != b"another version\n" else b"")
            git("add", "--all", "--force", "--", "*.md", ":(exclude)history*")
            git("commit", "--quiet", "--allow-empty", "--message", "memory")
    except (OSError, subprocess.SubprocessError):
        return ["The repository of the memory files could not be made again: git is missing, or failed."]
    finally:
        for path, raw in held.items():
            _put_back(path, raw)
    return []


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _put_back(path: str, raw: bytes | None) -> None:
    if raw is not None:
        with open(path, "wb") as file:
            file.write(raw)
    elif os.path.lexists(path):
        os.unlink(path)
