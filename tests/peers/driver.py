"""nanobot itself at work in a home: what it writes, loses and shows; one process for many requests.

Run with a peer's own Python. Each line of stdin is a request, each line of stdout its answer:

    {"do": "say", "home": "/x/.nanobot", "key": "telegram:42", "texts": ["Falcon 1", "echo"]}
    {"done": 2}
    {"do": "count", "home": "/x/.nanobot", "key": "telegram:42"}
    {"done": 2}

What ended with an error is {"error": "..."}. A workspace other than <home>/workspace is named by "workspace".
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

os.environ["HOME"] = tempfile.mkdtemp(prefix="driver-")  # nanobot looks for its folders when it is imported

from loguru import logger
from nanobot.agent.memory import MemoryStore
from nanobot.session.manager import SessionManager

START = datetime(2026, 5, 2, 10)


class At:
    """One workspace of one home, opened anew."""

    def __init__(self, home: str, workspace: str = "", **_: object) -> None:
        self.workspace = Path(workspace or Path(home, "workspace"))
        self.workspace.mkdir(parents=True, exist_ok=True)
        named = inspect.signature(SessionManager.__init__).parameters
        self.sessions = SessionManager(
            self.workspace, **({"sessions_root": Path(home, "sessions")} if "sessions_root" in named else {})
        )

    def store(self) -> MemoryStore:
        return MemoryStore(self.workspace)

    def consolidator(self, summary: str):
        """The one of 0.2.2, with a model that gives this summary ("": that fails)."""
        from nanobot.agent.memory import Consolidator

        async def chat(**_: object) -> SimpleNamespace:
            return SimpleNamespace(content=summary, finish_reason="stop" if summary else "error")

        provider = SimpleNamespace(chat_with_retry=chat, generation=SimpleNamespace(max_tokens=512))
        return Consolidator(self.store(), provider, "m", self.sessions, 100_000, lambda **_: [], list)


def say(at: At, key: str, texts: list[str], first: int = 1, day: int = 0, **_: object) -> int:
    """A turn for each two texts, as if said a second apart."""
    session = at.sessions.get_or_create(key)
    fresh = not session.messages
    for number, text in enumerate(texts, first):
        stamp = START + timedelta(days=day, seconds=number)
        session.add_message("user" if number % 2 else "assistant", text, timestamp=stamp.isoformat())
    if fresh:
        session.created_at = START + timedelta(days=day)
    session.updated_at = START + timedelta(days=day, seconds=first + len(texts))
    at.sessions.save(session)
    return len(session.messages)


def count(at: At, key: str, **_: object) -> int:
    """How many rows of a chat the next turn sends; none where it fails."""
    session = at.sessions.get_or_create(key)
    more = {"max_messages": 10**6} if "max_messages" in inspect.signature(session.get_history).parameters else {}
    try:
        return len(session.get_history(**more))
    except (KeyError, TypeError):
        return 0


def listed(at: At, key: str, **_: object) -> int:
    """The same for a chat that the list shows."""
    return count(at, key) if any(one["key"] == key for one in at.sessions.list_sessions()) else 0


def pending(at: At, **_: object) -> int:
    """How many entries the next Dream takes."""
    store = at.store()
    return len(store.read_unprocessed_history(store.get_last_dream_cursor()))


def idle(at: At, key: str, summary: str, **_: object) -> int:
    """AutoCompact of 0.2.2 comes."""
    asyncio.run(at.consolidator(summary).compact_idle_session(key))
    return len(at.sessions.get_or_create(key).messages)


def new(at: At, key: str, summary: str, **_: object) -> int:
    """/new, as cmd_new of 0.2.2 does it."""
    session = at.sessions.get_or_create(key)
    snapshot = session.messages[session.last_consolidated :]
    session.clear()
    at.sessions.save(session)
    asyncio.run(at.consolidator(summary).archive(snapshot, session_key=key))
    return len(snapshot)


def cap(at: At, key: str, **_: object) -> int:
    """The file is held to its cap of 2,000 rows (0.2.2)."""
    session = at.sessions.get_or_create(key)
    session.enforce_file_cap(lambda rows: at.store().raw_archive(rows, session_key=key))
    at.sessions.save(session)
    return len(session.messages)


def compact(at: At, key: str, at_row: int, **_: object) -> int:
    """0.3.5 puts a summary before a row."""
    session = at.sessions.get_or_create(key)
    session.commit_summary_checkpoint("- [durable] summary", insert_at=at_row)
    at.sessions.save(session)
    at.store().append_history("- [durable] summary", session_key=key)
    return len(session.messages)


def summary(at: At, key: str, **_: object) -> str:
    """What the next turn is given of the summary of a chat."""
    session = at.sessions.get_or_create(key)
    try:
        from nanobot.session.summary import session_summary_from_metadata
    except ImportError:
        from nanobot.agent.autocompact import AutoCompact

        _, told = AutoCompact(at.sessions, at.consolidator("x"), 15).prepare_session(session, key)
        return told or ""
    found = session_summary_from_metadata(session.metadata, fallback_last_active=session.updated_at)
    return found["text"] if found else ""


def interrupt(at: At, key: str, text: str, **_: object) -> int:
    """A turn of 0.3.5 is cut off in the middle of a tool call."""
    session = at.sessions.get_or_create(key)
    call = {"id": "c1", "type": "function", "function": {"name": "exec", "arguments": json.dumps({"command": text})}}
    turn = {"role": "assistant", "content": "", "tool_calls": [call]}
    session.metadata["runtime_checkpoint"] = {"phase": "awaiting_tools", "assistant_message": turn}
    at.sessions.save_runtime_checkpoint(session)
    return len(session.messages)


def back(at: At, **_: object) -> int:
    """`nanobot sessions restore-workspace`."""
    return at.sessions.restore_sessions_to_workspace().restored


def journal(at: At, texts: list[str], position: int, key: str = "", **_: object) -> int:
    """Entries of the journal, and how far Dream has come."""
    store = at.store()
    for text in texts:
        store.append_history(text, session_key=key or None)
    store.set_last_dream_cursor(position)
    return len(texts)


def hold(at: At, **_: object) -> int:
    """Take the lock of the session files, and keep it."""
    HELD.append(at.sessions.locked_session_files())
    HELD[-1].__enter__()
    return os.getpid()


HELD: list = []
DOINGS = {
    one.__name__: one
    for one in (say, count, listed, pending, idle, new, cap, compact, summary, interrupt, back, journal, hold)
}


def main() -> None:
    logger.remove()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer: dict[str, object] = {"done": DOINGS[request.pop("do")](At(**request), **request)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


main()
