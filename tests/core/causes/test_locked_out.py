"""A lock that CocoCat's owner left behind: Dream's edits of memory fail, and what was said stays in the journal."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from support.cli import run
from support.lost import Expected, coco_journal, put

MEMORY = "agents/leader/memory"
GONE = b"4194304"
"""One more than the highest number that a process can have."""


@pytest.fixture
def root(no_home: Path) -> Path:
    folder = no_home / "CocoCat"
    put(folder / MEMORY / "history.jsonl", coco_journal(6))
    put(folder / MEMORY / "MEMORY.md", "# Memory\n\n- 任务 5 was done\n".encode())
    put(folder / MEMORY / ".dream_cursor", b"6")
    return folder


def verdicts(root: Path, ask: str) -> list[Expected]:
    done = run("doctor", "--json", ask, "-W", root)
    rows = [json.loads(line) for line in done.out.splitlines()]
    return [Expected(*(row[name] for name in Expected._fields)) for row in rows]


@pytest.mark.parametrize("ask", ["leader", "任务 3"])
def test_a_lock_that_was_left_behind(root: Path, ask: str) -> None:
    lock = put(root / MEMORY / "MEMORY.md.lock", GONE)
    assert verdicts(root, ask)[0] == Expected("locked-out", "session", 0, None)
    done = run("doctor", "--json", ask, "-W", root)
    first = json.loads(done.out.splitlines()[0])
    assert any("waits 5 seconds and fails" in sentence for sentence in first["evidence"])
    done = run(*shlex.split(first["command"])[1:])
    assert done.code == 0, done.err
    assert not lock.exists()
    assert verdicts(root, ask)[0].cause == "not-lost"


def test_words_that_got_into_memory_are_not_missed(root: Path) -> None:
    put(root / MEMORY / "MEMORY.md.lock", GONE)
    assert verdicts(root, "任务 5")[0].cause == "not-lost"
