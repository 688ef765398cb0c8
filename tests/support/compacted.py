"""Workspaces of each agent with chats that are long enough to be compacted, and what must be true of them afterwards."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memcli.core import discovering, sealing
from memcli.core.compact import modes
from memcli.core.compact.wishes import Wishes
from memcli.formats.nanobot.names import encoded_name, lossy_name
from memcli.model import SessionRef, Workspace
from memcli.storage import row_archive
from support import dreams
from support.nanobot_files import ID, identify, namespace

AGENTS = ("catbuddy", "nanobot-E2", "nanobot-E4", "cococat")
KEY = "cli:direct"
WISHES = Wishes(idle=0.0, force_live=True)


class Call(NamedTuple):
    """A tool call of a turn: whether its result is there, and how many rows behind the others' it stands."""

    answered: bool = True
    late: bool = False


class Turn(NamedTuple):
    """What somebody asked, the calls that the agent made one after the other, and its answer (None: it never came)."""

    asked: str
    calls: tuple[Call, ...] = ()
    answer: str | None = "ok"


def talk(*names: str, calls: int = 0) -> list[Turn]:
    """A turn for each name of dreams.SAID, with so many calls each."""
    return [Turn(dreams.SAID[name][0], (Call(),) * calls, dreams.SAID[name][1]) for name in names]


LONG = ("pnpm", "weather", "postgres", "weather", "port", "weather", "answers", "weather", "fish", "weather")


class Chat(NamedTuple):
    """One chat in its workspace; `rows` are its lines as they were written, without their ends."""

    agent: str
    workspace: Workspace
    path: Path
    rows: list[bytes]

    @property
    def ref(self) -> SessionRef:
        key = self.path.parent.name if self.agent == "cococat" else KEY
        return SessionRef(self.workspace.agent, key, str(self.path), str(self.path), self.workspace)

    def compact(self, wishes: Wishes = WISHES) -> list[Any]:
        """Compact the queue of the workspace."""
        return list(modes.unattended([self.workspace], wishes, only_trim=False, command=["memcli"]))

    def named(self, wishes: Wishes = WISHES, *, trim: bool = False) -> Any:
        """Compact, or trim, this chat."""
        [found] = modes.named(self.ref, wishes, only_trim=trim, command=["memcli"])
        return found

    @property
    def lines(self) -> list[bytes]:
        """The rows of the file now."""
        lines = self.path.read_bytes().splitlines()
        return lines[0 if self.agent == "cococat" else 1 :]

    @property
    def header(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.path.read_bytes().partition(b"\n")[0])
        return value

    @property
    def archived(self) -> list[bytes]:
        """The rows in memcli's archive."""
        found = row_archive.of(sealing.store(self.workspace), str(self.path))
        return [line for one in (found.members if found else ()) for line in gzip.open(one.path).read().splitlines()]

    @property
    def kept(self) -> list[bytes]:
        """All rows that somebody said, those in the archive first."""
        return [line for line in (*self.archived, *self.lines) if not is_mark(json.loads(line))]

    @property
    def active(self) -> list[dict[str, Any]]:
        """The rows that the agent goes on from."""
        rows = [json.loads(line) for line in self.lines]
        offset = 0 if self.agent == "cococat" else self.header["last_consolidated"]
        return [row for row in rows[offset:] if not is_mark(row)]

    @property
    def summary(self) -> str:
        """The summary that the agent reads."""
        if self.agent == "cococat":
            first = json.loads(self.lines[0])
            return str(first.get("summary", ""))
        return str(self.header["metadata"].get("_last_summary", {}).get("text", ""))


def is_mark(row: dict[str, Any]) -> bool:
    """Whether a row was put there by whoever compacted."""
    return row.get("type") == "compacted_summary" or row.get("_hidden_history") is True


def chat(base: Path, agent: str, turns: Sequence[Turn]) -> Chat:
    """A workspace in which nobody has said anything for long."""
    if agent == "catbuddy":
        dreams.catbuddy(base / "home", {}, memory="# Mine\n")
        workspace = dreams.catbuddy(base / "shop", {})
        path = base / "shop" / ".catbuddy" / "workspace" / "sessions" / "cli_direct.jsonl"
        head: Any = {
            "key": KEY,
            "title": "价",
            "preview": "",
            "created_at": dreams.stamp(0),
            "updated_at": dreams.stamp(9),
        }
        head |= {"last_consolidated": 0, "metadata": {"workspaceFolderId": "x"}}
        rows = catbuddy_rows(turns)
    elif agent == "cococat":
        workspace = dreams.cococat(base / "office", ["pnpm"], {"abc": []})
        path = base / "office" / "agents" / "leader" / "memory" / "users" / "abc" / "history.jsonl"
        head = None
        rows = [
            {"role": role, "content": text, "timestamp": f"2026-05-06T10:{n:02d}:00"}
            for n, turn in enumerate(turns)
            for role, text in (("user", turn.asked), ("assistant", turn.answer))
            if text is not None
        ]
        dreams.old(path.parent / ".dream_cursor", str(len(rows)))
    else:
        home = base / "home" / ".nanobot"
        root = home / "workspace"
        dreams.nanobot(base / "home", ["weather"], position=1)
        newest = agent.endswith("E4")
        if newest:
            identify(root, ID)
        folder = namespace(home, ID, root) if newest else root / "sessions"
        path = folder / (encoded_name(KEY) if newest else lossy_name(KEY))
        offsets = {"last_archived": 0, "last_consolidated": 0} if newest else {"last_consolidated": 0}
        head = {
            "_type": "metadata",
            "key": KEY,
            "created_at": "2026-05-01T10:00:00",
            "updated_at": "2026-05-01T10:10:00",
        }
        head |= {"metadata": {"title": "价"}, **offsets}
        rows = nanobot_rows(turns)
    dumped = [json.dumps(row, ensure_ascii=False).encode() for row in rows]
    lines = dumped if head is None else [json.dumps(head, ensure_ascii=False).encode(), *dumped]
    dreams.old(path, b"".join(line + b"\n" for line in lines).decode())
    if agent.startswith("nanobot"):
        [workspace] = discovering.find([str(root)], "nanobot")
    return Chat(agent, workspace, path, dumped)


def catbuddy_rows(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The rows of a chat as catbuddy writes them."""
    rows: list[dict[str, Any]] = []

    def add(role: str, content: str, **more: Any) -> None:
        row = {"id": len(rows) + 1, "sessionKey": KEY, "role": role, "content": content, **more}
        rows.append({**row, "timestamp": dreams.stamp(len(rows))})

    for number, turn in enumerate(turns):
        add("user", turn.asked, media=[])
        late = []
        for index, call in enumerate(turn.calls):
            id = f"c{number}-{index}"
            add("assistant", "", toolCalls=[{"id": id, "name": "exec", "arguments": {}}], reasoningContent="")
            if call.answered and call.late:
                late.append(id)
            elif call.answered:
                add("tool", "out", toolCallId=id, name="exec")
        for id in late:
            add("tool", "out", toolCallId=id, name="exec")
        if turn.answer is not None:
            add("assistant", turn.answer)
    return rows


def nanobot_rows(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """The same as nanobot writes them."""
    rows = []
    for row in catbuddy_rows(turns):
        made: dict[str, Any] = {"role": row["role"], "content": row["content"], "timestamp": row["timestamp"][:-1]}
        if "toolCalls" in row:
            made["tool_calls"] = [
                {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": "{}"}}
                for one in row["toolCalls"]
            ]
        if "toolCallId" in row:
            made |= {"tool_call_id": row["toolCallId"], "name": row["name"]}
        rows.append(made)
    return rows


def pairs(rows: Sequence[dict[str, Any]]) -> tuple[set[str], set[str]]:
    """The ids that rows call, and those that they answer."""
    calls = {one["id"] for row in rows for one in row.get("toolCalls") or row.get("tool_calls") or ()}
    answers = {row.get("toolCallId") or row.get("tool_call_id") for row in rows} - {None}
    return calls, {str(one) for one in answers}


def parted(chat: Chat) -> set[str]:
    """The calls whose result is on the other side of the cut."""
    every = [json.loads(line) for line in chat.rows]
    calls, answers = pairs(every)
    here, there = pairs(chat.active)
    whole = calls & answers
    return (here & whole) ^ (there & whole)
