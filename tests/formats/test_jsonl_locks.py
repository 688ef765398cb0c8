"""The lock files beside sessions of JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.machine import Machine, aged

from memcli.core import holding, listing
from memcli.core.discovering import at
from memcli.formats.jsonl import locks

CHAT = '{"role":"user","content":"hi"}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text(CHAT)
    return folder


def test_only_those_that_are_there(folder: Path) -> None:
    [workspace] = at(str(folder), None)
    assert workspace.agent == "jsonl"
    assert (locks.locks(workspace), locks.beacons(workspace)) == ([], [])
    (folder / "b.jsonl.lock").write_text("{}")
    (folder / "c.jsonl.lock").write_text("{}")  # of no session here
    assert locks.locks(workspace) == [("exclusive-file", str(folder / "b.jsonl.lock"))]
    assert sorted(listing.paths(workspace)) == [str(folder / "a.jsonl"), str(folder / "b.jsonl")]
    [single] = at(str(folder / "b.jsonl"), None)
    assert locks.locks(single) == locks.locks(workspace)


def test_who_holds_one(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    path = folder / "b.jsonl.lock"
    path.write_text(json.dumps({"pid": 42, "createdAt": "2026-11-30T02:35:00.000Z", "maxHoldMs": 300000}, indent=2))
    aged(path, machine.at(2000))
    [workspace] = at(str(folder), None)
    assert [(one.pid, one.alive) for one in holding.held(workspace)] == [(42, True)]
    path.write_text(json.dumps({"pid": 77, "createdAt": "2026-11-30T02:35:00.000Z", "starttime": 4711}))
    assert [(one.pid, one.alive) for one in holding.held(workspace)] == [(77, False)]
