"""Workspaces whose memory was dreamt into more than once, with the commits, as each agent keeps them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memcli.core import discovering, landing, revisions
from memcli.core.landing import Landed
from memcli.core.revisions import Repository
from memcli.model import Item, Source, Workspace
from support.repository import git

MEMORY, USER, CURSOR = "memory/MEMORY.md", "USER.md", "memory/.dream_cursor"
START = "# Long-term Memory\n\n## Project Context\n\n(Information about ongoing projects)\n"
FIRST = START + "\n- Falcon stores its data in PostgreSQL\n- 数据库端口是 5432\n"
SECOND = FIRST + "- The harbour crane is painted red\n"
ENTRIES = 6


class Nanobot:
    """A workspace of nanobot's with three commits: the first state, and two Dreams that read entries 1 to 2, and 3 to 4."""

    def __init__(self, root: Path, *, tracked: bool = True) -> None:
        self.root, self.tracked, self.at, self.writes = root, tracked, 0, 0
        (root / "sessions").mkdir(parents=True)
        (root / "memory").mkdir()
        rows = [{"cursor": n, "timestamp": "2026-05-01 10:00", "content": f"entry {n}"} for n in range(1, ENTRIES + 1)]
        (root / "memory" / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (root / "memory" / ".cursor").write_text(str(ENTRIES))
        git(root, "init", "-q")
        self.init = self.dream({MEMORY: START, USER: "# User\n"}, None, "init: nanobot memory store")
        self.first = self.dream({MEMORY: FIRST, USER: "# User\n\n- Called Ada\n"}, 2)
        self.second = self.dream({MEMORY: SECOND}, 4)

    def dream(self, texts: dict[str, str | bytes | None], cursor: int | None = None, message: str = "") -> str:
        """Write files (None: remove), and commit them; with `cursor` Dream's position too."""
        self.at += 60
        for name, text in texts.items():
            self.write(name, text)
        names = list(texts)
        if cursor is not None:
            self.write(CURSOR, str(cursor))
            names += [CURSOR] if self.tracked else []
        git(self.root, "add", "-A", "--", *names)
        message = message or "dream: periodic memory consolidation"
        git(self.root, "commit", "-q", "--allow-empty", "-m", message, "--", *names, at=self.at)
        return self.head

    def write(self, name: str, text: str | bytes | None) -> None:
        path = self.root / name
        if text is None:
            path.unlink()
            return
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.writes += 1  # git takes a file of the same size and time for the same
        os.utime(path, (1767000000, 1767000000 + self.writes))

    def read(self, name: str = MEMORY) -> str:
        return (self.root / name).read_bytes().decode()

    def held(self, name: str = MEMORY, commit: str = "HEAD") -> str:
        """What a commit has of a file."""
        return git(self.root, "cat-file", "blob", f"{commit}:{name}")

    def log(self) -> list[str]:
        """The first lines of all commits, newest first."""
        return git(self.root, "log", "--format=%s").splitlines()

    def status(self) -> str:
        return git(self.root, "status", "--porcelain", "-uno")

    @property
    def head(self) -> str:
        return git(self.root, "rev-parse", "HEAD")

    @property
    def workspace(self) -> Workspace:
        [found] = discovering.find([str(self.root)], "nanobot")
        return found

    @property
    def repositories(self) -> list[Repository]:
        return revisions.repositories([self.workspace])


def catbuddy(home: Path) -> Workspace:
    """The home workspace of catbuddy's: no repository of its own, a journal of three entries."""
    root = home / ".catbuddy" / "workspace"
    (root / "sessions").mkdir(parents=True)
    (root / "sessions" / "a.jsonl").write_text('{"key":"a","updated_at":"x"}\n')
    (root / "memory").mkdir()
    rows = [{"cursor": n, "content": f"entry {n}", "at": "2026-05-20T08:30:09.413Z"} for n in (1, 2, 3)]
    (root / "memory" / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "memory" / ".cursor").write_text("3")
    [found] = discovering.find([str(root)], "catbuddy")
    return found


def land(workspace: Workspace, *texts: str, cursor: str = "", seconds: float = 1767300000.0) -> Landed:
    """What a Dream of memcli's writes about projects; `cursor` is the trailer that tells how far it read."""
    items = [Item(text, "project", "fact", (Source(1, text),), 0.9) for text in texts]
    return landing.land(
        workspace,
        items,
        seconds=seconds,
        trailers={"Memcli-Cursor": [cursor]} if cursor else {},
        command=["memcli", "dream"],
        idle=0.0,
        force_live=False,
    )
