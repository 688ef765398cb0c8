"""What the nanobot that is installed beside this Python makes of session files: one process for many of them.

Run with a peer's own Python. Each line of stdin is a request, each line of stdout its answer:

    {"file": "/where/dGVsZWdyYW06NDI.jsonl", "key": "telegram:42"}
    {"messages": 6, "offset": 0, "replay": ["user", ...], "listed": ["telegram:42"], "warnings": [], "failed": {}}

`failed` has what ended with an error: load, list, replay, save. `warnings` are those of the load. The file is copied into a
session folder of a workspace of its own under the name that it has; the given one is only read.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

TEMP = Path(tempfile.mkdtemp(prefix="peer-"))
os.environ["HOME"] = str(TEMP)  # nanobot looks for its folders when it is imported

from loguru import logger  # noqa: E402
from nanobot.session.manager import SessionManager  # noqa: E402

WARNINGS: list[str] = []


def manager() -> SessionManager:
    """A session manager that has cached nothing, over the workspace of this run."""
    named = inspect.signature(SessionManager.__init__).parameters
    workspace = TEMP / "workspace"
    workspace.mkdir(exist_ok=True)
    return SessionManager(workspace, **({"sessions_root": TEMP / "sessions"} if "sessions_root" in named else {}))


def answer(file: str, key: str) -> dict[str, object]:
    """Load, list, replay and save one file."""
    failed: dict[str, str] = {}
    found: dict[str, object] = {"messages": 0, "offset": None, "replay": [], "listed": [], "failed": failed}

    def attempt(name: str, what) -> None:
        try:
            what()
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"[:200]

    def load() -> None:
        del WARNINGS[:]
        found["warnings"] = WARNINGS
        session = sessions.get_or_create(key)
        found["warnings"] = list(WARNINGS)
        found["messages"], found["offset"] = len(session.messages), session.last_consolidated

        def replay() -> None:
            more = (
                {"max_messages": 10**6} if "max_messages" in inspect.signature(session.get_history).parameters else {}
            )
            found["replay"] = [message["role"] for message in session.get_history(**more)]

        attempt("replay", replay)
        attempt("save", lambda: sessions.save(session))

    folder = manager()._get_session_path(key).parent
    for path in folder.glob("*.json*"):
        path.unlink()
    shutil.copy(file, folder)
    attempt("list", lambda: found.update(listed=[one["key"] for one in manager().list_sessions()]))
    sessions = manager()
    attempt("load", load)
    return found


def main() -> None:
    logger.remove()
    logger.add(lambda message: WARNINGS.append(str(message).strip()), level="WARNING", format="{message}")
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line)), default=repr), flush=True)


try:
    main()
finally:
    shutil.rmtree(TEMP, ignore_errors=True)
