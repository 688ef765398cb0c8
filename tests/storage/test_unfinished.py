"""memcli killed while it writes: verify names what is left beside the files, and the next command that writes clears it away."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import damaging, faults
from support.chats import CATBUDDY
from support.cli import Ran, run
from support.repairs import Place, inside

from memcli.core import sealing, surroundings
from memcli.storage import locks

TORN = damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:50]
MENDED = damaging.joined(*CATBUDDY.lines[:4])
AWAITED = "finishes or drops that operation and removes it."


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


def fresh(base: Path) -> Place:
    for name in ("home", "state"):
        shutil.rmtree(base / name, ignore_errors=True)
    return Place(base / "home", CATBUDDY, TORN)


def killed(place: Place, call: str) -> None:
    """Repair it, and die before the first call of this name, when one of memcli's own files is beside the chat."""
    ended = faults.run(lambda: run("repair", "-W", place.root, "--apply", "-q"), faults.KILL, (call, 1))
    assert (ended.code, ended.fired) == (-9, call)
    assert parts(place)


def parts(place: Place) -> list[str]:
    return sorted(str(path) for path in place.root.rglob("*.part"))


def own(place: Place) -> list[dict[str, object]]:
    """What verify says of memcli's own files."""
    rows = [json.loads(line) for line in run("verify", "-W", place.root, "--json").out.splitlines()]
    return [row for row in rows if row.get("code") == "leftover-temp"]


def repair(place: Place, *more: str) -> Ran:
    return run("repair", "-W", place.root, "--apply", *more)


def test_wherever_it_is_killed_verify_names_what_is_left_and_the_next_repair_clears_it(base):
    found = 0
    place = Place(base / "home", CATBUDDY, TORN)
    for where, _ in faults.every(
        lambda: run("repair", "-W", base / "home", "--apply", "-q"), lambda: fresh(base), faults.KILL
    ):
        left = parts(place)
        found += len(left)
        rows = own(place)
        assert sorted(str(row["path"]) for row in rows) == left, where
        assert all(str(row["message"]).endswith(AWAITED) for row in rows), where
        assert {row["severity"] for row in rows} <= {"info"}
        assert repair(place).code == 0
        assert not parts(place), where
        assert place.path.read_bytes() == MENDED, where
        assert not own(place)
    assert found


def test_a_repair_with_nothing_else_to_do_finishes_what_was_interrupted_and_says_so(base):
    place = fresh(base)
    killed(place, "unlink")
    assert place.path.read_bytes() == MENDED
    ran = repair(place)
    assert "was interrupted; now it is finished." in ran.err
    assert "nothing to do" in ran.err
    assert not parts(place)
    assert run("undo", "-W", place.root).code == 0
    assert place.path.read_bytes() == TORN


def test_one_that_had_changed_nothing_is_dropped_and_done_anew(base):
    place = fresh(base)
    killed(place, "exchange")
    before = inside(place.root)
    assert run("repair", "-W", place.root).code == 1
    assert inside(place.root) == before, "a plan changes nothing"
    ran = repair(place)
    assert "was interrupted" in ran.err
    assert place.path.read_bytes() == MENDED
    assert not parts(place)


def test_undo_takes_back_the_operation_that_was_interrupted(base):
    place = fresh(base)
    killed(place, "unlink")
    ran = run("undo", "-W", place.root)
    assert ran.code == 0
    assert place.path.read_bytes() == TORN
    assert not parts(place)


def test_a_workspace_that_was_called_something_else_is_cleared_as_well(base):
    place = fresh(base)
    ended = faults.run(lambda: run("repair", place.path, "--apply", "-q"), faults.KILL, ("exchange", 1))
    assert ended.code == -9
    [row] = own(place)
    assert str(row["message"]).endswith(AWAITED)
    assert repair(place).code == 0
    assert not parts(place)


def test_without_its_intents_it_waits_a_while_and_then_goes_to_quarantine(base, monkeypatch):
    place = fresh(base)
    killed(place, "unlink")
    [part] = parts(place)
    old = Path(part).read_bytes()
    shutil.rmtree(base / "state")
    [row] = own(place)
    assert (row["repair"], "a memcli may be at work" in str(row["message"])) == ("report", True)
    repair(place)
    assert parts(place) == [part]

    monkeypatch.setattr(surroundings, "time", SimpleNamespace(time=lambda: time.time() + 3600))
    [row] = own(place)
    assert (row["repair"], row["severity"]) == ("safe", "info")
    assert repair(place).code == 0
    assert not parts(place)
    assert old in place.quarantined()
    assert run("undo", "-W", place.root).code == 0
    assert Path(part).read_bytes() == old


def test_while_memcli_is_at_work_nobody_clears_up(base):
    place = fresh(base)
    killed(place, "exchange")
    with locks.own(sealing.store(place.workspace)):
        pid = faults.fork()
        if not pid:
            [row] = own(place)
            ok = "is writing here right now" in str(row["message"])
            os._exit(0 if ok and row["repair"] == "report" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert parts(place)
