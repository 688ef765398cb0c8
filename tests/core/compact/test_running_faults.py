"""Compact and trim killed at any of their calls, those of git among them: after the next run all agree, and nothing is twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import compacted, faults
from support.compacted import AGENTS, LONG, WISHES, Chat

from memcli.core import keeping, sealing, stores
from memcli.storage import git_history

FACTS = ("pnpm, never npm", "PostgreSQL 16", "port 8080")
TRIM = WISHES._replace(trim=9)


class Ground:
    """A fresh workspace each time, with a state folder of its own."""

    def __init__(self, folder: Path, agent: str) -> None:
        self.folder, self.agent, self.number = folder, agent, 0
        self.chat = self.fresh()

    def fresh(self) -> Chat:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ.update(MEMCLI_STATE_DIR=str(base / "state"), MEMCLI_CACHE_DIR=str(base / "cache"))
        os.environ["HOME"] = str(base / "home")
        self.base = base
        self.chat = compacted.chat(base, self.agent, compacted.talk(*LONG, calls=1))
        return self.chat

    def compacted(self) -> Chat:
        chat = self.fresh()
        self.compact()
        return chat

    def compact(self, *, strict: bool = True) -> None:
        for one in self.chat.compact():
            assert getattr(one, "outcome", "refused") != "error" or not strict, one.why

    def trim(self, *, strict: bool = True) -> None:
        done = self.chat.named(TRIM, trim=True)
        assert done.outcome != "error" or not strict, done.why

    def check(self, where: str) -> None:
        """What holds after the next run."""
        chat = self.chat
        self.compact()
        assert chat.kept == chat.rows, where
        assert compacted.parted(chat) == set(), where
        for fact in FACTS:
            assert chat.summary.count(fact) == 1, f"{where}: {fact}"
        if chat.agent == "catbuddy":
            self._check_memory(where)
        elif chat.agent.startswith("nanobot"):
            lines = (Path(chat.workspace.root) / "memory" / "history.jsonl").read_bytes().splitlines()
            assert len(lines) == 2, where
            assert (Path(chat.workspace.root) / "memory" / ".cursor").read_text() in ("2", "3"), where
        else:
            assert (chat.path.parent / ".dream_cursor").read_text() == str(len(chat.lines)), where
        left = [str(path) for path in self.base.rglob("*") if "memcli" in path.name and "state" not in path.parts]
        assert left == [], where

    def _check_memory(self, where: str) -> None:
        text = "".join(path.read_text() for path in self.base.rglob("MEMORY.md"))
        assert text.count("## Archived — Project — ") == text.count("## Archived — User Profile — ") == 1, where
        for fact in FACTS:
            assert text.count(fact) == 1, f"{where}: {fact}"
        memory = Path(self.chat.workspace.memory[0]) / "MEMORY.md"
        keep = keeping.keep_of(self.chat.workspace, str(memory), make=False)
        assert keep, where
        head = git_history.head(keep.folder)
        assert head, where
        [held] = git_history.contents(keep.folder, [(head, os.path.relpath(memory, keep.tree))])
        assert held == memory.read_bytes(), where


@pytest.fixture
def ground(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    for name in ("HOME", "MEMCLI_STATE_DIR", "MEMCLI_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path, request.param)


@pytest.mark.slow
@pytest.mark.parametrize("ground", AGENTS, indirect=True)
def test_killed_at_every_call(ground: Ground) -> None:
    for where, _ in faults.every(ground.compact, ground.fresh, faults.KILL):
        ground.check(where)


@pytest.mark.slow
@pytest.mark.parametrize("ground", AGENTS[:3], indirect=True)
def test_trimming_killed_at_every_call(ground: Ground) -> None:
    for where, _ in faults.every(ground.trim, ground.compacted, faults.KILL):
        stores.finish([ground.chat.workspace])
        assert sealing.store(ground.chat.workspace), where
        assert ground.chat.kept == ground.chat.rows, where
        ground.trim()
        assert len(ground.chat.lines) < 20, where
        ground.check(where)


@pytest.mark.parametrize(
    ("ground", "how"),
    [("catbuddy", faults.KILL), ("nanobot-E4", faults.KILL), ("cococat", faults.DEAD), ("nanobot-E2", faults.FULL)],
    indirect=["ground"],
)
def test_some_calls(ground: Ground, how: str) -> None:
    for where, _ in faults.some(
        ground.compact, ground.fresh, how, parts=4, failing=lambda: ground.compact(strict=False)
    ):
        ground.check(where)
