"""What unattended runs did: one line for each in memcli's own state, the oldest of which go when there are many.

A run notes facts as it goes; whoever ends it (boundary.py) writes them down with the exit code. Of one that was killed the next
one tells. A log that cannot be written never makes a run fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from memcli import settings
from memcli.errors import MemcliError
from memcli.storage import state, system

PLACE, FILE = "log", "runs.jsonl"
SIZE = 256 << 10
"""Bytes after which a new file is begun."""
KEPT = 4
"""So many full files are kept beside the one that is written."""
LONGEST = 4000
"""Characters of a line's sentences together."""
WORD = "run-"
"""How the names of files begin whose run is under way: it holds them locked as long as it lives."""
_notes: list[dict[str, Any]] = []
_held: list[int] = []


def note(**facts: Any) -> None:
    """Remember something of this run: plain values by name. What is noted twice under the name `why` is told twice."""
    _notes.append(facts)


def begin(arguments: Sequence[str], began: float) -> None:
    """Tell of runs that were killed, and leave word that this one, which `began` then (epoch seconds), is under way."""
    import fcntl
    import json

    _notes.clear()
    with suppress(OSError, MemcliError):
        state.make_folder(os.path.dirname(_path()))
        _bury()
        fd = state.new_file(_word(os.getpid()))
        system.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        system.write_all(fd, json.dumps({"command": list(arguments), "began": began}).encode())
        _held.append(fd)


def write(arguments: Sequence[str], code: int, began: float, why: str = "") -> None:
    """Write the line of this run, which `began` then (epoch seconds) and ended with `code`."""
    facts: dict[str, Any] = {}
    reasons = [why] if why else []
    for one in _notes:
        reasons += [str(one["why"])] if one.get("why") else []
        for name, value in one.items():
            if name != "why":
                facts[name] = facts.get(name, 0) + value if isinstance(value, int) else value
    _notes.clear()
    line = _line(arguments, code, began, " ".join(dict.fromkeys(reasons)), **facts)
    with suppress(OSError, MemcliError):
        _append(line)
    if _held:
        with suppress(OSError):
            system.unlink(_word(os.getpid()))
        os.close(_held.pop())


def rows() -> Iterator[dict[str, Any]]:
    """The lines that there are, the oldest first; what is damaged is passed over. Makes nothing."""
    import json

    for path in [_older(number) for number in range(KEPT, 0, -1)] + [_path()]:
        try:
            with open(path, "rb") as file:
                for line in file:
                    with suppress(ValueError, RecursionError):
                        value = json.loads(line)
                        if isinstance(value, dict):
                            yield value
        except OSError:
            continue


def _bury() -> None:
    """A line for each run that left word and lives no more."""
    import fcntl
    import json

    folder = os.path.dirname(_path())
    for name in sorted(os.listdir(folder)):
        if not name.startswith(WORD):
            continue
        path = os.path.join(folder, name)
        fd = system.open_lock(path, 0o600)
        try:
            system.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            value = json.loads(os.pread(fd, 1 << 16, 0) or b"{}")
            system.unlink(path)
            _append(_line(value.get("command") or [], None, float(value.get("began") or 0.0), "It was killed."))
        except BlockingIOError:
            continue  # it lives
        except (ValueError, AttributeError, TypeError, OverflowError, RecursionError):
            system.unlink(path)
        finally:
            os.close(fd)


def _line(arguments: Sequence[str], code: int | None, began: float, why: str, **facts: Any) -> bytes:
    import json
    import time

    row = {
        "type": "run",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "exit": code,
        "seconds": None if code is None else round(max(0.0, time.time() - began), 3),
        "command": list(arguments),
        **facts,
        "why": why[:LONGEST] or None,
    }
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _append(line: bytes) -> None:
    import fcntl

    folder = os.path.dirname(_path())
    state.make_folder(folder)
    lock = system.open_lock(os.path.join(folder, "lock"), 0o600)
    try:
        system.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.stat(_path()).st_size + len(line) > SIZE:
                _turn()
        if not os.path.lexists(_path()):
            os.close(state.new_file(_path()))
        fd = os.open(_path(), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if os.fstat(fd).st_size and not _ended():
                line = b"\n" + line  # a run that was killed left half a line
            system.write_all(fd, line)
        finally:
            os.close(fd)
    finally:
        os.close(lock)


def _ended() -> bool:
    with open(_path(), "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _turn() -> None:
    """Begin a new file; the oldest goes."""
    for number in range(KEPT, 0, -1):
        newer = _older(number - 1) if number > 1 else _path()
        if os.path.lexists(newer):
            system.rename(newer, _older(number))


def _path() -> str:
    return os.path.join(settings.state_folder(), PLACE, FILE)


def _older(number: int) -> str:
    return os.path.join(settings.state_folder(), PLACE, FILE.replace(".", f".{number}."))


def _word(pid: int) -> str:
    return os.path.join(settings.state_folder(), PLACE, f"{WORD}{pid}")
