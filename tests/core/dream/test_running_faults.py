"""Dream killed at any of its calls, those of git among them: after the next run each fact stands once, and all agree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import dreams, faults

from memcli.core import keeping, positions
from memcli.core.dream import places, running
from memcli.core.dream.wishes import Wishes
from memcli.core.journals import every
from memcli.llm.offline import Offline
from memcli.model import Workspace
from memcli.storage import git_history

FACTS = ("I always use pnpm, never npm", "PostgreSQL 16", "port 8080")
WISHES = Wishes(every=True, idle=0.0)


class Ground:
    """A fresh workspace each time, with a state folder of its own."""

    def __init__(self, folder: Path, agent: str) -> None:
        self.folder, self.agent, self.number = folder, agent, 0
        self.workspace = self.fresh()

    def fresh(self) -> Workspace:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        os.environ["HOME"] = str(base / "home")
        names = ["pnpm", "postgres", "port"]
        if self.agent == "catbuddy":
            dreams.catbuddy(base / "home", {}, memory="# Mine\n")
            self.workspace = dreams.catbuddy(base / "shop", {"desktop:a": names})
        elif self.agent == "nanobot":
            self.workspace = dreams.nanobot(base / "bot", names)
        else:
            self.workspace = dreams.cococat(base / "office", names)
        self.roots = [base / "home", base / "shop", base / "bot", base / "office"]
        return self.workspace

    def dream(self, *, strict: bool = True) -> None:
        for one in running.several(
            places.places([self.workspace], ""), WISHES, Offline({}), "write", if_due=False, command=["memcli"]
        ):
            assert one.outcome != "error" or not strict, one.why

    def check(self, where: str) -> None:
        self.dream()
        text = "".join(path.read_text() for root in self.roots for path in root.rglob("*.md"))
        for fact in FACTS:
            assert text.count(fact) == 1, f"{where}: {fact}"
        leftovers = [str(path) for root in self.roots for path in root.rglob("*") if "memcli" in path.name]
        assert leftovers == [], where
        if self.agent != "catbuddy":
            assert positions.state(every(self.workspace)[0]).pending == 0, where
        memory = next(
            path
            for root in self.roots
            for path in root.rglob("MEMORY.md")
            if "Dream" in path.read_text() or "8080" in path.read_text()
        )
        keep = keeping.keep_of(self.workspace, str(memory), make=False)
        if keep is not None:
            head = git_history.head(keep.folder)
            assert head, where
            [held] = git_history.contents(keep.folder, [(head, os.path.relpath(memory, keep.tree))])
            assert held == memory.read_bytes(), where


@pytest.fixture
def ground(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path))
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path, request.param)


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["catbuddy", "nanobot", "cococat"], indirect=True)
def test_killed_at_every_call(ground: Ground) -> None:
    for where, _ in faults.every(ground.dream, ground.fresh, faults.KILL):
        ground.check(where)


@pytest.mark.parametrize(
    ("ground", "how"),
    [("catbuddy", faults.KILL), ("cococat", faults.KILL), ("nanobot", faults.DEAD), ("nanobot", faults.FULL)],
    indirect=["ground"],
)
def test_some_calls(ground: Ground, how: str) -> None:
    assert "git" in faults.run(ground.dream).calls
    ground.fresh()
    for where, _ in faults.some(ground.dream, ground.fresh, how, parts=5, failing=lambda: ground.dream(strict=False)):
        ground.check(where)
