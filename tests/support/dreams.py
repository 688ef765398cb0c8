"""Small workspaces in which people say things worth keeping, for everything that dreams."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memcli.core import discovering
from memcli.model import Workspace

LONG_AGO = 1_700_000_000.0
SAID = {
    "pnpm": ("I always use pnpm, never npm.", "Noted, pnpm it is."),
    "postgres": ("We decided to use PostgreSQL 16 for the orders database.", "Good choice."),
    "port": ("The staging API listens on port 8080.", "Understood."),
    "weather": ("What is the weather like?", "I cannot know."),
    "answers": ("我喜欢简短的回答。", "好的。"),
    "fish": ("我习惯用 fish 终端。", "好的。"),
}
"""Prompt and answer; of the weather nothing is worth keeping."""


def catbuddy(base: Path, chats: dict[str, Sequence[str]], *, memory: str | None = "") -> Workspace:
    """A catbuddy workspace whose chats (key -> names of SAID) were over long ago: the home's where `base` is that, else the one
    of a project."""
    root = base / ".catbuddy" / "workspace"
    for folder in ("sessions", "memory"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for key, names in chats.items():
        session(root, key, names)
    if memory is not None:
        old(root / "memory" / "MEMORY.md", memory)
    [found] = discovering.find([str(root)], "catbuddy")
    return found


def session(root: Path, key: str, names: Sequence[str], *, start: int = 0) -> Path:
    """The file of a chat, written anew."""
    path = root / "sessions" / f"{key.replace(':', '_')}.jsonl"
    head = {"key": key, "title": key, "preview": "", "created_at": stamp(0), "updated_at": stamp(len(names))}
    rows = [head | {"last_consolidated": 0, "metadata": {}}]
    for number, name in enumerate(names):
        asked, answered = SAID.get(name, (name, "Yes."))
        for offset, (role, text) in enumerate((("user", asked), ("assistant", answered))):
            at = start + 2 * number + offset
            rows.append({"id": at + 1, "sessionKey": key, "role": role, "content": text, "timestamp": stamp(at)})
    old(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def cococat(base: Path, tasks: Sequence[str], users: dict[str, Sequence[str]] | None = None, **more: Any) -> Workspace:
    """A CocoCat V1 workspace: tasks of the agent `leader`, and rows of users by the name of their folder."""
    memory = base / "agents" / "leader" / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "prompt": SAID[name][0],
            "response_summary": SAID[name][1],
            "iterations": 1,
            "timestamp": f"2026-05-06T10:00:{n:02d}",
        }
        for n, name in enumerate(tasks)
    ]
    old(memory / "history.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    old(memory / "MEMORY.md", more.get("memory", "# Leader Memory\n\nPersonal memories and learnings for leader.\n"))
    for folder, names in (users or {}).items():
        (memory / "users" / folder).mkdir(parents=True, exist_ok=True)
        said = [{"role": "user", "content": SAID[name][0], "timestamp": "2026-05-06T10:00:00"} for name in names]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in said)
        old(memory / "users" / folder / "history.jsonl", lines)
    [found] = discovering.find([str(base)], "cococat")
    return found


def nanobot(base: Path, entries: Sequence[str], *, position: int | None = None) -> Workspace:
    """A nanobot workspace with a journal; entries are names of SAID, or what they say."""
    root = base / ".nanobot" / "workspace"
    (root / "memory").mkdir(parents=True, exist_ok=True)
    rows = [
        {"cursor": n, "timestamp": "2026-05-01 10:00", "content": SAID[text][0] if text in SAID else text}
        for n, text in enumerate(entries, 1)
    ]
    old(root / "memory" / "history.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    old(root / "memory" / ".cursor", str(len(rows)))
    old(root / "memory" / "MEMORY.md", "# Long-term Memory\n\n## Project Context\n\n- Falcon is in Rust\n")
    old(root / "USER.md", "# User Profile\n\n## Preferences\n\n- likes tea\n")
    old(root / "SOUL.md", "# Soul\n")
    if position is not None:
        old(root / "memory" / ".dream_cursor", str(position))
    [found] = discovering.find([str(root)], "nanobot")
    return found


def old(path: Path, text: str) -> Path:
    """A file that nobody has touched for long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return rested(path)


def rested(path: Path) -> Path:
    """The file, as if nobody had touched it for long."""
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def stamp(second: int) -> str:
    """A time long ago, as catbuddy writes it."""
    return f"2026-05-20T{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z"
