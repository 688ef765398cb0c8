"""git repositories made for tests, with the same commits every time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(folder: Path, *words: str, at: int = 0) -> str:
    """Run git in a folder as nobody in particular, at a time in seconds since 1970; what it says."""
    stamp = f"{1767225600 + at} +0000"
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    names = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid", "-c", "init.defaultBranch=main")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *names, *words], cwd=folder, env={**kept, **own, **dates}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder: Path, name: str, content: str | bytes | None, at: int = 0) -> str:
    """Write a file (None: remove it) and commit it; the commit. The repository is made when there is none."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q")
    path = folder / name
    if content is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    git(folder, "add", "-A", "--", name)
    git(folder, "commit", "-q", "--allow-empty", "-m", f"dream: {at}", at=at)
    return git(folder, "rev-parse", "HEAD")
