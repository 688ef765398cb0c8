"""Real git repositories, whatever the configuration of whoever runs the tests says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
    "GIT_AUTHOR_DATE": "2026-05-20T08:00:00Z",
    "GIT_COMMITTER_DATE": "2026-05-20T08:00:00Z",
}


def commit(folder: Path, names: Sequence[str], message: str = "dream: periodic memory consolidation") -> None:
    """Make `folder` a repository if it is none, and commit these files of it; with none there is no commit."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    if names:
        git(folder, "add", "--force", "--", *names)
        git(folder, "commit", "--quiet", "--message", message)


def git(folder: Path, *words: str) -> str:
    """What git says there."""
    command = ["git", "-c", "core.autocrlf=false", "-C", str(folder), *words]
    done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=True, capture_output=True, text=True)
    return done.stdout
