"""A cron that runs every hour of days that never were: with a clock of its own, models that fail, and kills."""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli import cli, llm
from memcli.core import sealing
from memcli.core.compact import running as compacting
from memcli.core.compact.writing import Maker
from memcli.core.dream import aside, notes
from memcli.core.dream import running as dreaming
from memcli.core.dream.made import Made
from memcli.errors import ProviderFailed
from memcli.model import Batch, Entry, Item, Source
from memcli.storage import run_log, system
from memcli.storage.state import Store
from support import faults
from support.worlds import MADE_UP, POISON, World

START = 1_767_225_600.0
"""2026-01-01T00:00:00Z."""
HOUR = 3600.0
KILLED, IDLY = 0.3, 0.01
"""How many of the runs are killed: while there is something to do, and else."""
AFTER = 2 * HOUR
"""So long after somebody talked there is something to do."""
CALLS = 90
"""A kill is at one of the first so many system calls that change something."""


WORTH = re.compile(f"{MADE_UP.pattern}|port|password")
"""What the reader keeps."""


class Clock:
    """The time, which stands until somebody moves it."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Be the clock of this process, and of the files that memcli writes in it."""
        patch.setattr(time, "time", self)
        for name in ("create", "write", "ftruncate"):
            patch.setattr(system, name, self._dated(getattr(system, name)))

    def _dated(self, real: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            result = real(*arguments, **named)
            fd = result if isinstance(arguments[0], str) else arguments[0]
            os.utime(fd, (self.now, self.now))
            return result

        return call


class Flaky:
    """A reader for which every sentence with a made-up name, a port or a password is one to keep; out of order for a while, or
    now and then, and never able to read POISON."""

    name = "flaky"
    model = "reader"

    def __init__(self, clock: Clock, seed: int | None) -> None:
        """With `seed` None it is well."""
        self.clock, self.seed = clock, seed

    def extract(self, batch: Batch) -> list[Item]:
        day = int((self.clock.now - START) // 86400)
        if self.seed is None:
            return [item for entry in batch.entries for item in _items(entry)]
        if random.Random(f"{self.seed} day {day}").random() < 0.03:
            raise ProviderFailed("The service is down.", why="connection")
        if random.Random(f"{self.seed} {self.clock.now}").random() < 0.1:
            raise ProviderFailed("The service made a mistake.", why="server")
        if any(POISON in entry.content for entry in batch.entries):
            raise ProviderFailed("The service declines to answer.", why="declined")
        return [item for entry in batch.entries for item in _items(entry)]


def _items(entry: Entry) -> Iterator[Item]:
    for line in entry.content.splitlines():
        text = line.removeprefix("[user] ").rstrip(".。")
        if WORTH.search(text) and not text.startswith("["):
            layer = "user" if text.startswith(("I ", "My ", "我习惯")) else "project"
            yield Item(text, layer, "decision" if "decided" in text else "fact", (Source(entry.cursor, text),), 0.9)


class Try(NamedTuple):
    """A batch, or a chat, that was about to be written: `ids` are the rows and entries in it."""

    kind: str
    name: str
    seconds: float
    ids: list[str]


class Ran(NamedTuple):
    """One run: its exit code, None when it was killed."""

    code: int | None
    out: str
    err: str


class Cron:
    """Runs the commands of a world, and looks at what became of it each time. `read` are the ids that Dream read and wrote,
    `summed` those of summaries, in the order of time."""

    def __init__(self, world: World, clock: Clock, base: Path, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.world, self.clock, self.base, self.seed = world, clock, base, seed
        self.random = random.Random(f"{seed} cron")
        self.tries = base / "tries.jsonl"
        self.code = base / "code"
        self.read: list[str] = []
        self.summed: list[str] = []
        self.told: list[Mapping[str, Any]] = []
        self.kills = self.runs = self.failures = 0
        self.place = self.log = 0
        self.well = False
        self.done: set[tuple[str, str, float]] = set()
        self.open: list[Try] = []
        self.seen: set[str] = set()
        self._wrap(patch)

    @cached_property
    def store(self) -> Store:
        return sealing.store(self.world.workspace)

    def _wrap(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(llm, "load", lambda name, table: Flaky(self.clock, None if self.well else self.seed))
        real_land, real_write = dreaming._land, compacting.writing.land

        def land(done: Any, made: Made, *arguments: Any, **named: Any) -> Any:
            numbered = self.world.agent == "nanobot"
            ids = [str(said.origin.first) if numbered else said.at for said in made.said]
            self._note(Try("dream", done.place.name, made.seconds, ids))
            return real_land(done, made, *arguments, **named)

        def write(span: Any, cut: int, gathered: Any, maker: Maker, *arguments: Any, **named: Any) -> Any:
            ids = [record.timestamp for _, record in span.said(span.summarised, cut)]
            self._note(Try("compact", span.ref.key, maker.seconds, ids))
            return real_write(span, cut, gathered, maker, *arguments, **named)

        patch.setattr(dreaming, "_land", land)
        patch.setattr(compacting.writing, "land", write)

    def _note(self, one: Try) -> None:
        self._look()  # what an earlier run, that was killed, came to after all
        with self.tries.open("a") as file:
            file.write(json.dumps([*one, sorted(self.done)]) + "\n")

    def days(self, count: int, talks: float, every: int = 1) -> None:
        """So many days: every so many hours somebody talks with the probability `talks`, and then cron runs all commands."""
        for hour in range(0, count * 24, every):
            now = START + hour * HOUR
            if self.random.random() < talks:
                self.clock.now = now - self.random.randint(10, 3000)
                self.world.talk(self.random.randint(1, 8))
            self.clock.now = now
            for words in self.world.COMMANDS:
                self.clock.now += 20
                self.run([*words, "-W", self.world.root])

    def run(self, words: Sequence[str], *, kill: bool = True) -> Ran:
        """One run; killed at some call, when the dice say so."""
        self.runs += 1
        draw = self.random.random()
        at = self.random.randint(1, CALLS)
        busy = self.clock.now - self.world.last < AFTER
        killed = kill and draw < (KILLED if busy else IDLY)
        ran = self._forked(words, at) if killed else self._here(words)
        self._judge(words, ran)
        if self.open or self.tries.exists():
            self._look()
            self._settle()
        return ran

    def _here(self, words: Sequence[str]) -> Ran:
        streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
        kept = sys.stdout, sys.stderr, sys.argv
        sys.stdout, sys.stderr = streams
        sys.argv = ["memcli", *words]
        try:
            code = cli.run(list(words))
        finally:
            sys.stdout, sys.stderr, sys.argv = kept
        texts = []
        for stream in streams:
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return Ran(code, *texts)

    def _forked(self, words: Sequence[str], at: int) -> Ran:
        result = self.base / "ran.json"
        result.unlink(missing_ok=True)

        def scenario() -> None:
            ran = self._here(words)
            result.write_text(json.dumps(ran))

        if self.random.random() < 0.3:
            ended = faults.run(scenario, faults.TORN, ("write", 1 + at // 6))
        else:
            ended = faults.run(scenario, faults.KILL, at)
        if ended.fired and ended.code < 0:
            self.kills += 1
            return Ran(None, "", "")
        assert ended.code == 0, ended
        return Ran(*json.loads(result.read_text()))

    def _judge(self, words: Sequence[str], ran: Ran) -> None:
        """Every run leaves its line, and says why it failed; one that did not is silent."""
        rows = self._rows()
        mine = [row for row in rows if row["exit"] is not None]
        for row in rows:
            assert row["exit"] is not None or row["why"] == "It was killed."
        self.told += rows
        if ran.code is None:
            return
        assert [row["command"] for row in mine][-1:] == [list(words)], (words, ran, rows)
        assert mine[-1]["exit"] == ran.code
        if ran.code:
            self.failures += 1
            assert mine[-1]["why"], (words, ran)
            assert ran.code in (3, 4), (words, ran)
            assert ran.err.startswith("memcli: ")
        else:
            assert (ran.out, ran.err) == ("", ""), (words, ran)

    def _rows(self) -> list[dict[str, Any]]:
        """The lines that came since the last time; the file may have become an older one meanwhile."""
        path = Path(run_log._path())
        lines = b""
        if self.log and path.stat().st_ino != self.log:
            lines += Path(run_log._older(1)).read_bytes()[self.place :]
            self.place = 0
        if path.exists():
            with path.open("rb") as file:
                file.seek(self.place)
                fresh = file.read()
                lines += fresh
                self.place += len(fresh)
                self.log = os.fstat(file.fileno()).st_ino
        return [json.loads(line) for line in lines.splitlines() if line.endswith(b"}")]

    def _look(self) -> None:
        """What stands in the state folder: which batches and chats are done."""
        store = self.store
        for name, seconds in notes.read(store).times.items():
            self.done.add(("dream", name, seconds))
        folder = Path(store.folder) / "dreams"
        for path in folder.glob("made-*.json") if folder.exists() else ():
            if path.name not in self.seen:
                self.seen.add(path.name)
                told = json.loads(path.read_text())
                kind = "compact" if told["source"] == "compact" else "dream"
                self.done.add((kind, told["name"], told["seconds"]))

    def _settle(self) -> None:
        """Of what was tried, what is done: once and for all."""
        if self.tries.exists():
            for line in self.tries.read_text().splitlines():
                *one, done = json.loads(line)
                self.open.append(Try(*one))
                self.done.update(tuple(each) for each in done)
            self.tries.unlink()
        left = []
        for one in self.open:
            if (one.kind, one.name, one.seconds) in self.done:
                (self.summed if one.kind == "compact" else self.read).extend(one.ids)
            elif self.clock.now - one.seconds < 3 * HOUR:
                left.append(one)
        self.open = left

    def end(self) -> None:
        """Some days in which nobody talks, no model fails and nothing is killed: what waits is done."""
        self.well = True
        for _ in range(72):
            self.clock.now += HOUR
            for words in self.world.COMMANDS:
                self.clock.now += 20
                self.run([*words, "-W", self.world.root], kill=False)

    @property
    def set_aside(self) -> set[str]:
        """The ids of what no model could read."""
        found: set[str] = set()
        folder = Path(self.store.folder) / "dreams"
        for path in folder.glob(f"{aside.PREFIX}*"):
            for said in json.loads(path.read_text())["said"]:
                found.add(str(said["first"]) if self.world.agent == "nanobot" else said["at"])
        return found


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def healthy(repository: Path) -> str:
    """What git finds wrong with a repository, "" for nothing."""
    done = subprocess.run(
        ["git", "-C", str(repository), "fsck", "--no-progress", "--no-dangling"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else done.stderr.strip()
