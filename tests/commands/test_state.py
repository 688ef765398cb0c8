"""memcli state."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support import faults
from support.cli import one_sentence, run

from memcli.core import demonstrating
from memcli.storage import locks, state


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "demo"
    demonstrating.write(str(folder))
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 3600,) * 2)
    assert run("repair", "-W", folder, "--apply", "-q").code in (0, 1)
    return folder


def test_what_there_is(demo: Path, tmp_path: Path) -> None:
    ran = run("state")
    [row] = ran.rows
    assert row[0] == state.store(str(demo)).id
    assert int(row[1]) > 0
    assert int(row[2]) > 0
    assert row[3:6] == ["0", "0", "0"]
    assert row[6] == str(demo)
    assert f"State: {tmp_path / 'state'}, " in ran.err
    assert f"Cache: {tmp_path / 'cache'}, 0 bytes" in ran.err
    assert "memcli state --remove WORKSPACE" in ran.err


def test_headings_are_whole_or_gone(demo: Path) -> None:
    for columns in (100, 60, 40):
        assert "…" not in run("state", columns=columns).out.splitlines()[0]


def test_json(demo: Path) -> None:
    row = json.loads(run("state", "--json").out)
    assert (row["type"], row["workspace"], row["exists"]) == ("store", str(demo), True)
    assert row["folder"] == state.store(str(demo)).folder
    assert row["bytes"] == sum(row[kind]["bytes"] for kind in state.KINDS)
    assert row["intents"] == {"files": 0, "bytes": 0}
    assert run("state", "--where", "bytes > `100000000`", "--json").out == ""


def test_removing_a_workspace(demo: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()}
    ran = run("state", "--remove", demo)
    assert ran.code == 0
    assert ran.rows[0][6] == str(demo)
    assert ran.err.startswith("Removed what was kept for 1 workspace (")
    assert run("state").out == ""
    assert run("undo", "-W", demo).code == 1
    assert {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()} == before
    one_sentence(run("state", "--remove", demo), 2, "Nothing is kept for")


def test_removing_all(demo: Path) -> None:
    assert json.loads(run("state", "--all", "--json").out)["type"] == "removed"
    assert run("state", "-q") == (0, "", "")
    assert run("state", "--all", "-q") == (0, "", "")


def test_while_a_memcli_writes(demo: Path) -> None:
    with locks.own(state.store(str(demo))):
        ran = run("state", "--all")
    one_sentence(ran, 4, "is locked by")
    assert len(run("state").rows) == 1


def test_why_a_run_failed_stands_where_little_fits(demo: Path) -> None:
    assert run("compact", "--cron", "-W", demo / "nowhere").code == 2
    shown = run("state", "log", columns=60).out
    assert "compact" in shown
    assert str(demo)[:8] in shown.splitlines()[-1]
    assert "WHY" in shown


def test_bad_input(demo: Path) -> None:
    one_sentence(run("state", "--remove", demo, "--all"), 2, "give one of them")
    one_sentence(run("state", "logs"), 2, "'logs'")
    one_sentence(run("state", "logs", "--remove", demo), 2, "'logs'")
    assert len(run("state").rows) == 1, "nothing was removed"


def test_a_workspace_that_is_gone(demo: Path) -> None:
    demo.rename(demo.with_name("moved"))
    assert json.loads(run("state", "--json").out)["exists"] is False
    assert run("state", "--remove", demo).code == 0
