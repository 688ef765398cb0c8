"""nanobot itself with its long-term memory: its journal, its Dream, its commands and its git; one process for many requests.

Run with a peer's own Python, as driver.py is: each line of stdin is a request, each line of stdout its answer:

    {"do": "append", "home": "/x/.nanobot", "texts": ["The port is 8080."]}
    {"done": [1]}

The home has a config.json when commands are given to it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["HOME"] = tempfile.mkdtemp(prefix="dreamer-")  # nanobot looks for its folders when it is imported

from loguru import logger
from nanobot.agent.memory import MemoryStore
from nanobot.nanobot import Nanobot
from nanobot.utils.helpers import sync_workspace_templates

BUSY = ("_run_dream", "archive_session", "_archive")
"""What nanobot goes on with by itself after a command was answered."""


def make(home: Path) -> list[str]:
    """A new workspace, as nanobot makes it; the subjects of its commits."""
    workspace(home).mkdir(parents=True)
    sync_workspace_templates(workspace(home), silent=True)
    return [one.message for one in store(home).git.log()]


def append(home: Path, texts: list[str], pause: float = 0.0) -> list[int]:
    """Add entries to the journal, one after the other; their cursors."""
    cursors = []
    for text in texts:
        cursors.append(store(home).append_history(text))
        time.sleep(pause)
    return cursors


def edit(home: Path, text: str) -> int:
    """A person writes to the memory, with nobody's commit."""
    path = workspace(home) / "memory" / "MEMORY.md"
    with path.open("a", encoding="utf-8") as file:
        return file.write(text)


def look(home: Path) -> dict[str, object]:
    """What nanobot reads there."""
    now = store(home)
    return {
        "memory": now.read_memory(),
        "user": now.read_user(),
        "soul": now.read_soul(),
        "position": now.get_last_dream_cursor(),
        "unprocessed": [[one["cursor"], one["content"]] for one in pending(now)],
        "entries": [[one["cursor"], one["content"]] for one in now.read_unprocessed_history(0)],
        "prompted": now.build_dream_prompt() is not None,
    }


def log(home: Path) -> list[list[str]]:
    """Its own log, the newest first: short id and message."""
    return [[one.sha, one.message.strip()] for one in store(home).git.log(max_entries=100)]


def shown(home: Path, sha: str) -> list[str]:
    """What GitStore.show_commit_diff makes of a commit: its message, and the difference."""
    found = store(home).git.show_commit_diff(sha)
    assert found is not None, f"nanobot finds no commit {sha}"
    return [found[0].message, found[1]]


def tell(home: Path, lines: list[str]) -> list[str]:
    """Give nanobot lines, as if typed; everything that it says to them, also later."""
    return asyncio.run(_tell(home, lines))


async def _tell(home: Path, lines: list[str]) -> list[str]:
    said = []
    bot = Nanobot.from_config(home / "config.json", workspace=workspace(home))
    try:
        for line in lines:
            answer = await bot._loop.process_direct(line, session_key="cli:direct", channel="cli", chat_id="direct")
            said.append(answer.content if answer else "")
            while any(getattr(task.get_coro(), "__name__", "") in BUSY for task in asyncio.all_tasks()):
                await asyncio.sleep(0.02)
            while bot._loop.bus.outbound.qsize():
                said.append(bot._loop.bus.outbound.get_nowait().content)
    finally:
        await bot.aclose()
    return said


def workspace(home: Path) -> Path:
    return home / "workspace"


def store(home: Path) -> MemoryStore:
    """Opened anew: it keeps nothing from before."""
    return MemoryStore(workspace(home))


def pending(now: MemoryStore) -> list[dict]:
    """What its next Dream would read."""
    return now.read_unprocessed_history(now.get_last_dream_cursor())


DOINGS = {one.__name__: one for one in (make, append, edit, look, log, shown, tell)}


def main() -> None:
    logger.remove()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            done = DOINGS[request.pop("do")](Path(request.pop("home")), **request)
            answer: dict[str, object] = {"done": done}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


main()
