"""Workspaces in which a chat was lost, made by code, and what their agents show of it: told by rules written anew from what is
known of the agents (session manager, dream.py), none of them memcli's.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

KEY = "desktop:main"
DAY = 86_400.0
_UNSAFE = str.maketrans(dict.fromkeys('<>:"/\\|?*', "_"))


class Expected(NamedTuple):
    """The verdict that comes first. `back` counts the rows that the agent shows more afterwards, None where that is not
    the measure; `layer` is the layer of the verdict."""

    cause: str
    layer: str
    recoverable: int | None
    lost: int | None


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def spaced(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def stamp(number: int) -> str:
    """A time for row `number`, a second apart, in May 2026."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_779_265_800 + number))


def lines(values: Iterable[bytes]) -> bytes:
    return b"".join(value + b"\n" for value in values)


def put(path: Path, content: bytes, days: float = 1.0) -> Path:
    """Write a file that nobody has touched for so many days."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    age(path, days)
    return path


def age(path: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(path, (then, then))


# ---------------------------------------------------------------------------------------------------- catbuddy


def cat_name(key: str) -> str:
    """`_safeKey` and the suffix."""
    return key.translate(_UNSAFE)[:200] + ".jsonl"


def cat_header(key: str = KEY, **members: Any) -> dict[str, Any]:
    return {
        "key": key,
        "title": "",
        "preview": "你好",
        "created_at": stamp(0),
        "updated_at": stamp(99),
        "last_consolidated": 0,
        "metadata": {"workspaceFolderId": "shop"},
        **members,
    }


def cat_row(number: int, key: str = KEY, text: str = "", role: str = "", **members: Any) -> dict[str, Any]:
    """Row `number` of a chat: users ask in odd ones, the assistant answers in even ones."""
    asks = number % 2 == 1
    text = text or (f"问题 {number}: how do I bake bread?" if asks else f"Answer {number}: 用烤箱 at 220 degrees.")
    row = {"id": number, "sessionKey": key, "role": role or ("user" if asks else "assistant"), "content": text}
    row |= {"media": []} if asks and not role else {}
    return {**row, **members, "timestamp": stamp(number)}


def cat_chat(rows: int, key: str = KEY, first: int = 1, **header: Any) -> bytes:
    """A healthy file."""
    return lines([compact(cat_header(key, **header)), *cat_rows(rows, key, first)])


def cat_rows(rows: int, key: str = KEY, first: int = 1) -> list[bytes]:
    return [compact(cat_row(number, key)) for number in range(first, first + rows)]


class Catbuddy:
    """What catbuddy shows of the chats in one sessions folder."""

    def __init__(self, sessions: Path) -> None:
        self.sessions = sessions

    def shows(self, key: str = KEY) -> int:
        """How many rows a person sees who picks the chat in the list: none where the list fails or does not have it."""
        return len(self.rows(key)) if key in self.listed() else 0

    def listed(self) -> list[str | None]:
        """The keys in the list; none at all where sorting it throws."""
        found = []
        for path in sorted(self.sessions.glob("*.jsonl")):
            kept = [line for line in path.read_bytes().decode("utf-8", "replace").split("\n") if line]
            header = _parsed(kept[0]) if len(kept) > 1 else None
            if isinstance(header, dict):
                found.append(header)
        if len(found) > 1 and any(not isinstance(one.get("updated_at"), str) for one in found):
            return []
        return [one.get("key") for one in found]

    def rows(self, key: str) -> list[Any]:
        """The rows of the file that the key's name leads to; one bad line and there are none."""
        path = self.sessions / cat_name(key)
        if not path.is_file():
            return []
        kept = [line for line in path.read_bytes().decode("utf-8", "replace").split("\n") if line]
        values = [_parsed(line) for line in kept]
        return [] if not values or any(value is None for value in values) else values[1:]

    def texts(self, key: str = KEY) -> list[str]:
        return [row["content"] for row in self.rows(key) if isinstance(row, dict)]


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


# ------------------------------------------------------------------------------------------------------ CocoCat


def coco_task(number: int, **members: Any) -> dict[str, Any]:
    return {
        "timestamp": stamp(number)[:19],
        "prompt": f"任务 {number}: bake bread",
        "response_summary": f"Baked loaf {number}.",
        "iterations": 2,
        **members,
    }


def coco_user(number: int) -> dict[str, Any]:
    return {"role": "assistant", "content": f"Dear user, 第 {number} 条", "timestamp": stamp(number)[:19]}


def coco_journal(rows: int, make: Callable[[int], dict[str, Any]] = coco_task) -> bytes:
    return lines(spaced(make(number)) for number in range(1, rows + 1))


def strict(path: Path) -> int:
    """How many entries `_read_entries` (V1.2 and later) gives; none where it raises."""
    try:
        found = [
            json.loads(line) for line in path.read_text(encoding="utf-8").splitlines(keepends=False) if line.strip()
        ]
    except (ValueError, OSError):
        return 0
    return len(found) if all(isinstance(one, dict) for one in found) else 0


def group(path: Path) -> int:
    """How many messages the reader of a group chat gets to."""
    found = 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            if not isinstance(_parsed(line), dict):
                break
            found += 1
    return found


def tolerant(path: Path) -> int:
    """How many rows V2's `load_session` gives."""
    text = path.read_text(encoding="utf-8")
    return sum(isinstance(_parsed(line), dict) for line in text.split("\n") if line.strip())


def undreamt(memory: Path) -> int:
    """How many entries the next Dream would read: `records[cursor:]`, with the cursor as `int()` reads it."""
    cursor = memory / ".dream_cursor"
    try:
        position = int(cursor.read_text(encoding="utf-8").strip())
    except (OSError, ValueError):
        position = 0
    journal = memory / "history.jsonl"
    found = [line for line in journal.read_text(encoding="utf-8").split("\n") if line.strip()]
    return len(found[position:])
