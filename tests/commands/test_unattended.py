"""`memcli dream --if-due --cron; memcli compact --cron`, every hour, for as long as nobody looks: days that never were, in which
people talk, agents drop their oldest rows, models fail, and memcli is killed. See support/unattended.py."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from support import faults
from support.unattended import Clock, Cron, healthy, size_of
from support.worlds import MADE_UP, TRIM, WORLDS, Catbuddy, World

from memcli.core.compact.gathering import LONGEST
from memcli.storage import kept, run_log

KEEP = 100
"""Rows that memcli leaves in a session (but for catbuddy, which drops some itself)."""
SLACK = 200
"""Rows that may wait beyond these: of days on which no model answered, and of long turns."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    found.install(monkeypatch)
    faults.quick_disk(monkeypatch)
    return found


def live(
    kind: type[World],
    days: int,
    talks: float,
    tmp_path: Path,
    clock: Clock,
    patch: pytest.MonkeyPatch,
    every: int = 1,
) -> Cron:
    patch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    if kind is not Catbuddy:
        (tmp_path / "config.toml").write_text(f"[compact]\ntrim = {KEEP}\n")
        patch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    world = kind(tmp_path / "world", clock, seed=7)
    cron = Cron(world, clock, tmp_path, 7, patch)
    cron.days(days, talks, every)
    cron.end()
    return cron


@pytest.mark.parametrize("kind", WORLDS, ids=lambda kind: kind.agent)
def test_weeks(kind: type[World], tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    cron = live(kind, 20, 0.05, tmp_path, clock, monkeypatch)
    assert cron.kills > 5
    judge(cron, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORLDS, ids=lambda kind: kind.agent)
def test_a_year(kind: type[World], tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    cron = live(kind, 365, 0.12, tmp_path, clock, monkeypatch, every=4)
    assert cron.runs > 2 * 365 * 6
    assert cron.kills > 50
    assert cron.failures > 20
    if kind is Catbuddy:
        assert cron.world.trimmed
    judge(cron, tmp_path)


def judge(cron: Cron, base: Path) -> None:
    """All that must be true when nothing waits any more. That each run left its line, said why it failed, or was silent, was
    looked at each time."""
    world = cron.world
    # every entry was dreamt once, or is with what no model could read
    assert once(cron.read)
    assert world.spoken - set(cron.read) == cron.set_aside & world.spoken
    assert not cron.set_aside & set(cron.read)
    assert not cron.open
    # every fact stands in the memory once
    memory = world.memory()
    found = Counter(MADE_UP.findall(memory))
    told = {name for name, id in world.facts.items() if id not in cron.set_aside}
    assert told - set(found) == set()
    assert {name: count for name, count in found.items() if count != 1} == {}
    assert "hunter" not in memory
    for path in memories(base):
        assert len(re.findall("staging gateway", path.read_text(encoding="utf-8"))) <= 1, "one value for one thing"
    # every row is there once, unless its agent dropped it, and no row is in two summaries
    rows = Counter(key for key, _ in world.kept())
    assert {key: count for key, count in rows.items() if count != 1} == {}
    assert world.rows.keys() - rows.keys() - world.trimmed == set()
    assert once(cron.summed)
    assert cron.summed
    small(cron, base)
    clean(cron, base)


def once(ids: list[str]) -> bool:
    return [id for id, count in Counter(ids).items() if count > 1] == []


def memories(base: Path) -> list[Path]:
    return [path for name in ("MEMORY.md", "USER.md", "PROFILE.md") for path in base.rglob(name)]


def small(cron: Cron, base: Path) -> None:
    """What must not grow for ever does not."""
    world = cron.world
    most = TRIM if isinstance(world, Catbuddy) else KEEP + SLACK
    for path in world.files():
        lines = path.read_bytes().splitlines()
        assert len(lines) <= most + 1, f"{path} has {len(lines)} lines"
        assert len(lines[0]) < 2 * 4 * LONGEST
    told = sum(map(len, world.facts)) + 80 * len(world.facts)
    for path in memories(base):
        assert path.stat().st_size < 20_000 + 4 * told
    assert len(list((Path(cron.store.folder) / "undo").iterdir())) <= kept.KEPT
    log = base / "state" / "log"
    assert size_of(log) <= (run_log.KEPT + 1) * run_log.SIZE
    assert len(list(log.iterdir())) <= run_log.KEPT + 2
    largest = max(path.stat().st_size for path in world.files())
    assert size_of(base / "state") < kept.KEPT * (largest + 60_000) + 40 * len(world.rows) * 300 + 30_000_000


def clean(cron: Cron, base: Path) -> None:
    """Nothing is half done, and nothing lies about."""
    state = Path(cron.store.folder)
    assert list((state / "intents").iterdir()) == []
    assert [path for path in (base / "world").rglob("*") if path.name.endswith((".part", ".lock"))] == []
    parts = [path.relative_to(state) for path in state.rglob("*.part")]
    assert len(parts) <= 2, parts  # of a small note that was not written since
    repositories = [path.parent for path in base.rglob("HEAD") if path.parent.name.endswith("git")]
    assert repositories
    for repository in repositories:
        assert healthy(repository) == ""
    assert not [name for name in os.listdir(base / "state" / "log") if name.startswith(run_log.WORD)]
