"""Copies of a chat in the making: rows of each agent by number, put into files, compared and merged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memcli.core import merging
from memcli.core.comparing import Comparison, compare
from memcli.core.copies import Pair
from memcli.core.merging import Counts
from memcli.core.sides import Side
from memcli.model import SessionRef, Workspace
from support.chats import compact, spaced
from support.repairs import OLD

AGENTS = ("catbuddy", "nanobot", "cococat", "jsonl")
NAMES = {
    "catbuddy": "desktop_main.jsonl",
    "nanobot": "dGVsZWdyYW06NDI.jsonl",
    "cococat": "leader.jsonl",
    "jsonl": "chat.jsonl",
}
KEYS = {"catbuddy": "desktop:main", "nanobot": "telegram:42", "cococat": "leader", "jsonl": "chat"}
ERAS = {"nanobot": "E4", "cococat": "V2"}
TEXTS = ("hello", '{"a": [1]} "b"', "你好，世界", "тест 👩\u200d💻", "line\nline\t\\", "")


class Copy(NamedTuple):
    """What came of a merge: the bytes of A afterwards, and what the plan said."""

    data: bytes
    counts: Counts
    worse: str
    notes: list[str]
    nothing: bool

    @property
    def lines(self) -> list[bytes]:
        return self.data.split(b"\n")[:-1]


def stamp(number: int) -> str:
    """A time for each number, rising."""
    minutes, seconds = divmod(number, 60)
    return f"2026-05-20T{8 + minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"


def row(agent: str, number: int, text: str | None = None, *, at: int | None = None, **more: Any) -> bytes:
    """The row `number` of a chat; `at` is the number whose time it has."""
    text = TEXTS[number % len(TEXTS)] + f" {number}" if text is None else text
    time = stamp(number if at is None else at)
    role = "user" if number % 2 else "assistant"
    if agent == "catbuddy":
        about = {"id": number, "sessionKey": "desktop:main", "role": role, "content": text, "timestamp": time + ".000Z"}
        return compact({**about, **more})
    if agent == "nanobot":
        return spaced({"role": role, "content": text, "timestamp": time + ".100000", **more})
    if agent == "cococat":
        return spaced({"role": role, "content": text, "timestamp": time, **more})
    return compact({"id": f"e{number}", "role": role, "content": text, "timestamp": time + "Z", **more})


def header(agent: str, **more: Any) -> list[bytes]:
    """The header of a chat, [] for agents that have none."""
    if agent == "catbuddy":
        value: dict[str, Any] = {
            "key": "desktop:main",
            "title": "",
            "preview": "",
            "created_at": "2026-05-20T08:00:00.000Z",
            "updated_at": "2026-05-20T08:00:00.000Z",
            "last_consolidated": 0,
            "metadata": {},
        }
        return [compact({**value, **more})]
    if agent == "nanobot":
        value = {
            "_type": "metadata",
            "key": "telegram:42",
            "created_at": "2026-05-20T08:00:00.000000",
            "updated_at": "2026-05-20T08:00:00.000000",
            "metadata": {},
            "last_archived": 0,
            "last_consolidated": 0,
        }
        return [spaced({**value, **more})]
    return []


def chat(agent: str, numbers: Sequence[int]) -> bytes:
    """A whole file with these rows."""
    return joined(*header(agent), *(row(agent, number) for number in numbers))


def joined(*lines: bytes) -> bytes:
    return b"".join(line + b"\n" for line in lines)


class Desk:
    """A folder with one workspace and the copies beside it."""

    def __init__(self, folder: Path, agent: str) -> None:
        self.folder, self.agent = folder, agent
        self.root = folder / "home"
        self.sessions = self.root / "sessions"
        self.sessions.mkdir(parents=True, exist_ok=True)
        self.workspace = Workspace(
            agent, str(self.root), (str(self.sessions),), era=ERAS.get(agent, ""), shown=str(self.root)
        )
        self.path = self.sessions / NAMES[agent]
        self.other = folder / "copy.bak"

    def ref(self, path: Path, data: bytes) -> SessionRef:
        """A session at `path` with these bytes; the copy lies in no workspace."""
        path.write_bytes(data)
        os.utime(path, ns=(OLD, OLD))
        workspace = self.workspace if path == self.path else self.workspace._replace(files=(str(path),))
        return SessionRef(self.agent, KEYS[self.agent], str(path), str(path), workspace)

    def pair(self, a: bytes, b: bytes) -> Pair:
        return Pair(self.ref(self.path, a), self.ref(self.other, b))

    def new(self, b: bytes) -> Pair:
        """A chat that is not there, and its copy."""
        pair = self.pair(b"", b)
        self.path.unlink()
        return pair._replace(new=True)

    def merged(self, a: bytes, b: bytes, decision: str = "") -> Copy:
        """What A would be."""
        with merging.plan(self.pair(a, b), decision) as merge:
            data = Path(merge.result).read_bytes() if merge.result else a
            return Copy(data, merge.counts, merge.worse, merge.notes, merge.nothing)

    def compared(self, a: bytes, b: bytes) -> Comparison:
        """Both compared; the files stay open until the process ends."""
        pair = self.pair(a, b)
        return compare(Side(pair.a), Side(pair.b))


__all__ = ["AGENTS", "Copy", "Desk", "chat", "header", "joined", "row", "stamp"]
