"""Agents that people talk to day after day: what they write, as they write it, with all of it kept in mind.

Every row has a time of its own, by which it is known. Facts have a made-up name in them that is nowhere else.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from memcli.core import discovering, sealing
from memcli.model import Workspace
from memcli.storage import row_archive
from memcli.storage.row_archive import Broken
from support import dreams
from support.nanobot_files import ID, identify, namespace

Row = dict[str, Any]
SMALL_TALK = (
    ("What is the weather like?", "I cannot know."),
    ("ok", "Fine."),
    ("Can you list the files?", "There are three."),
    ("谢谢", "不客气"),
    ("今天怎么样？", "还不错。"),
    ("Thanks!", "You are welcome."),
)
FACTS = (
    "We decided to use {} for the orders database.",
    "I always use {}, never anything else.",
    "The {} server runs in Frankfurt.",
    "我习惯用 {} 终端。",
    "我们决定用 {} 做前端框架。",
    "My favourite editor is {}.",
)
POISON = "qqpoisonqq"
"""What no provider can read."""
TRIM = 2000
"""Rows that catbuddy keeps."""
MADE_UP = re.compile("[A-Z][a-z]+qx")
HEAD = {"metadata": {"title": "t"}, "last_archived": 0, "last_consolidated": 0}
"""What a chat of nanobot begins with."""
_PARTS = ("za", "ko", "mi", "ru", "te", "vo", "ni", "lu", "sha", "gri", "bo", "pex", "dra", "yl", "fen", "qui")


class World(ABC):
    """One agent with its workspace, at the time of `clock`. `rows` are all that were ever written, by their time, with the file
    that they went to; `trimmed` those that the agent itself dropped. `spoken` is what Dream has to read, by time or number;
    `facts` are the made-up names that were told there, each with what told it."""

    agent = ""
    COMMANDS: tuple[tuple[str, ...], ...] = (("dream", "--if-due", "--cron"), ("compact", "--cron"))

    def __init__(self, base: Path, clock: Any, seed: int) -> None:
        self.base, self.clock = base, clock
        self.random = random.Random(f"{seed} {self.agent}")
        self.rows: dict[str, str] = {}
        self.trimmed: set[str] = set()
        self.facts: dict[str, str] = {}
        self.spoken: set[str] = set()
        self.names: set[str] = set()
        self.last = 0.0

    @property
    @abstractmethod
    def root(self) -> str:
        """The folder of the workspace."""

    @cached_property
    def workspace(self) -> Workspace:
        [found] = discovering.find([self.root], self.agent)
        return found

    def say(self, id: str, text: str) -> None:
        """Keep in mind what Dream has to read."""
        self.spoken.add(id)
        self.facts.update((name, id) for name in MADE_UP.findall(text))

    @abstractmethod
    def talk(self, turns: int) -> None:
        """Somebody talks for a while."""

    @abstractmethod
    def files(self) -> list[Path]:
        """The files with rows."""

    @abstractmethod
    def memory(self) -> str:
        """All that is remembered."""

    def key(self, row: Row) -> str:
        """What a row is known by."""
        return str(row.get("timestamp"))

    def kept(self) -> Iterator[tuple[str, str]]:
        """Every row that there is, in a file or in memcli's archive: what it is known by, and where."""
        for path in self.files():
            for line in path.read_bytes().splitlines():
                row = json.loads(line)
                if "key" not in row and not is_made(row):
                    yield self.key(row), str(path)
            found = row_archive.of(sealing.store(self.workspace), str(path))
            broken: list[Broken] = []
            for one in row_archive.lines(found, broken) if found else ():
                row = json.loads(one.line.raw or b"")
                if not is_made(row):
                    yield self.key(row), f"archive of {path}"
            assert not broken

    def turn(self) -> tuple[str, str]:
        """What is asked, and the answer: now and then a fact."""
        draw = self.random.random()
        if draw < 0.3:
            return self.random.choice(FACTS).format(self.fact()), self.random.choice(("Noted.", "好的。"))
        if draw < 0.33:  # the same thing with one value today and another tomorrow
            return f"The staging gateway listens on port {self.random.randint(2000, 9000)}.", "Understood."
        if draw < 0.34:
            return f"My password is hunter-{self.random.randint(10**8, 10**9)}", "I forget it."
        return self.random.choice(SMALL_TALK)

    def fact(self) -> str:
        """A name that nobody used before."""
        while True:
            name = "".join(self.random.choices(_PARTS, k=3)).capitalize() + "qx"
            if name not in self.names:
                self.names.add(name)
                return name

    def stamp(self, form: str = "%Y-%m-%dT%H:%M:%S.{:06d}") -> str:
        """A time like no other: that of the clock, or a little later."""
        self.last = max(self.last + 0.001, self.clock.now)
        whole = int(self.last)
        return time.strftime(form, time.gmtime(whole)).format(int((self.last - whole) * 1e6))

    def write(self, path: Path, rows: list[Row], *, replace: bool = True) -> None:
        """Write a file as the agent does: anew, in the place of the old one; or rows at its end."""
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if replace:
            new = path.with_suffix(".new")
            new.write_text(data, encoding="utf-8")
            os.replace(new, path)
        else:
            with path.open("a", encoding="utf-8") as file:
                file.write(data)
        self.touch(path)

    def note(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        self.touch(path)

    def touch(self, path: Path) -> None:
        os.utime(path, (self.clock.now, self.clock.now))

    def chat(self, make: Any) -> list[Row]:
        """A turn with, now and then, tool calls in between."""
        asked, answered = self.turn()
        rows = [make("user", asked)]
        for _ in range(self.random.choice((0, 0, 0, 1, 3))):
            rows += make("call", f"c{self.random.randrange(10**9)}")
        return [*rows, make("assistant", answered)]


def is_made(row: Row) -> bool:
    """Whether memcli put the row there."""
    return row.get("type") == "compacted_summary" or row.get("_hidden_history") is True


def loaded(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


class Catbuddy(World):
    """Two chats of which one is much longer; at 2,000 rows the oldest go."""

    agent = "catbuddy"

    def __init__(self, base: Path, clock: Any, seed: int) -> None:
        super().__init__(base, clock, seed)
        self.ids: dict[str, int] = {}
        self.place = Path(dreams.catbuddy(base / "home", {}).root)

    @property
    def root(self) -> str:
        return str(self.place)

    def files(self) -> list[Path]:
        return sorted(self.base.rglob("sessions/*.jsonl"))

    def memory(self) -> str:
        return "\n".join(path.read_text(encoding="utf-8") for path in self.base.rglob("MEMORY.md"))

    def talk(self, turns: int) -> None:
        key = self.random.choice(("desktop:main", "desktop:main", "desktop:side"))
        path = self.base / "home" / ".catbuddy" / "workspace" / "sessions" / f"{key.replace(':', '_')}.jsonl"
        head, *rows = loaded(path) or [
            {
                "key": key,
                "title": key,
                "preview": "",
                "created_at": self.stamp(),
                "last_consolidated": 0,
                "metadata": {},
            }
        ]

        def make(role: str, text: str) -> Any:
            if role == "call":
                call = [{"id": text, "name": "exec", "arguments": {"command": "ls"}}]
                return [add("assistant", "", toolCalls=call), add("tool", "out", toolCallId=text, name="exec")]
            return add(role, text)

        def add(role: str, text: str, **more: Any) -> Row:
            self.ids[key] = self.ids.get(key, 0) + 1
            row = {"id": self.ids[key], "sessionKey": key, "role": role, "content": text, **more}
            return {**row, "timestamp": self.stamp("%Y-%m-%dT%H:%M:%S.{:06d}Z")}

        for _ in range(turns):
            fresh = self.chat(make)
            self.say(self.key(fresh[0]), fresh[0]["content"])
            rows += fresh
            self.rows.update((self.key(row), str(path)) for row in fresh)
        self.trimmed.update(self.key(row) for row in rows[:-TRIM])
        self.write(path, [{**head, "updated_at": self.stamp("%Y-%m-%dT%H:%M:%S.{:06d}Z")}, *rows[-TRIM:]])


class Nanobot(World):
    """Two chats, which the newest version keeps beside the workspace, and a journal that the agent writes too: that is what Dream
    reads, so that of the chats it gets what their summaries say."""

    agent = "nanobot"

    def __init__(self, base: Path, clock: Any, seed: int) -> None:
        super().__init__(base, clock, seed)
        self.place = Path(dreams.nanobot(base / "home", ["weather"], position=1).root)
        identify(self.place, ID)
        self.sessions = namespace(base / "home" / ".nanobot", ID, self.place)

    @property
    def root(self) -> str:
        return str(self.place)

    def files(self) -> list[Path]:
        return sorted(self.sessions.glob("*.jsonl"))

    def memory(self) -> str:
        return "\n".join((self.place / name).read_text(encoding="utf-8") for name in ("USER.md", "memory/MEMORY.md"))

    def talk(self, turns: int) -> None:
        if self.random.random() < 0.4:
            self.consolidate(turns)
            return
        from memcli.formats.nanobot.names import encoded_name

        key = self.random.choice(("cli:direct", "cli:direct", "telegram:42"))
        path = self.sessions / encoded_name(key)
        head, *rows = loaded(path) or [
            {"_type": "metadata", "key": key, "created_at": self.stamp(), "updated_at": self.stamp(), **HEAD}
        ]

        def make(role: str, text: str) -> Any:
            if role == "call":
                function = {"name": "exec", "arguments": '{"command": "ls"}'}
                call = {"id": text, "type": "function", "function": function}
                return [
                    {"role": "assistant", "content": "", "tool_calls": [call], "timestamp": self.stamp()},
                    {"role": "tool", "tool_call_id": text, "name": "exec", "content": "out", "timestamp": self.stamp()},
                ]
            return {"role": role, "content": text, "timestamp": self.stamp()}

        for _ in range(turns):
            fresh = self.chat(make)
            rows += fresh
            self.rows.update((self.key(row), str(path)) for row in fresh)
        self.write(path, [{**head, "updated_at": self.stamp()}, *rows])

    def consolidate(self, entries: int) -> None:
        """The agent writes its journal."""
        journal, counter = self.place / "memory" / "history.jsonl", self.place / "memory" / ".cursor"
        number = int(counter.read_text())
        for _ in range(min(3, entries)):
            number += 1
            text = POISON if number % 50 == 25 else self.turn()[0]
            row = {"cursor": number, "timestamp": time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.clock.now))}
            self.write(journal, [{**row, "content": text}], replace=False)
            self.say(str(number), text)
        self.note(counter, str(number))


class Cococat(World):
    """The tasks of an agent, and what two users said."""

    agent = "cococat"
    USERS = ("a1b2", "c3d4")
    COMMANDS = (
        ("dream", "--if-due", "--cron"),
        ("dream", "--if-due", "--cron", "--all-users"),
        ("compact", "--cron"),
    )

    def __init__(self, base: Path, clock: Any, seed: int) -> None:
        super().__init__(base, clock, seed)
        self.place = Path(dreams.cococat(base / "office", ["weather"]).root)
        self.leader = self.place / "agents" / "leader" / "memory"

    @property
    def root(self) -> str:
        return str(self.place)

    def files(self) -> list[Path]:
        return sorted(self.leader.glob("users/*/history.jsonl"))

    def memory(self) -> str:
        paths = [self.leader / "MEMORY.md", *sorted(self.leader.glob("users/*/PROFILE.md"))]
        return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.exists())

    def talk(self, turns: int) -> None:
        if self.random.random() < 0.3:
            for _ in range(turns):
                asked, answered = self.turn()
                row = {"prompt": asked, "response_summary": answered, "iterations": 1, "timestamp": self.stamp()}
                self.write(self.leader / "history.jsonl", [row], replace=False)
                self.say(self.key(row), asked)
            return
        path = self.leader / "users" / self.random.choice(self.USERS) / "history.jsonl"
        for _ in range(turns):
            asked, answered = self.turn()
            rows = [
                {"role": role, "content": text, "timestamp": self.stamp()}
                for role, text in (("user", asked), ("assistant", answered))
            ]
            self.write(path, rows, replace=False)
            for row in rows:
                self.say(self.key(row), row["content"])
            self.rows.update((self.key(row), str(path)) for row in rows)


WORLDS: tuple[type[World], ...] = (Catbuddy, Nanobot, Cococat)
