"""Who holds what in a workspace."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.machine import Machine, aged, line

from memcli.core import locking, sealing
from memcli.core.discovering import at
from memcli.core.locking import Row
from memcli.model import Workspace
from memcli.storage import locks, processes

PID = "agents/employee_a/memory/MEMORY.md.lock"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """42 runs since the second 1000, 51 to 53 wait since the seconds 2000, 3000 and 4000."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    for number in (1, 2, 3):
        machine.runs(50 + number, "python3 agent.py", started=1000.0 + 1000 * number)
    return machine


@pytest.fixture
def nanobot_home(tmp_path: Path, nanobot: Path) -> Path:
    folder = tmp_path / "home"
    shutil.copytree(nanobot / "nanobot-v0.3.5-killed", folder, symlinks=True)
    for marker in folder.glob(".nanobot/sessions/*/.workspace"):
        marker.write_text(f"{folder}/.nanobot/workspace\n")
    return folder / ".nanobot"


@pytest.fixture
def cococat_home(tmp_path: Path, samples: Path) -> Path:
    folder = tmp_path / "cococat"
    shutil.copytree(samples / "cococat" / "v1-damaged", folder)
    return folder


def only(place: Path) -> Workspace:
    [workspace] = at(str(place), None)
    return workspace


def brief(rows: list[Row], root: Path) -> list[tuple[str, str, str, int | None]]:
    return [
        (row.state, row.kind, os.path.relpath(row.path, root), row.holder.pid if row.holder else None) for row in rows
    ]


def test_locks_of_each_kind(machine: Machine, nanobot_home: Path) -> None:
    [session, moving] = [next(nanobot_home.glob(f"sessions/{name}")) for name in ("*/.session-*.lock", ".w*.lock")]
    assert brief(locking.survey([only(nanobot_home)]), nanobot_home) == [
        ("free", "flock", str(session.relative_to(nanobot_home)), None),
        ("free", "flock", "sessions/.workspace-migration.lock", None),
    ]
    assert moving.name == ".workspace-migration.lock"
    (nanobot_home / "run").mkdir()
    beacon = nanobot_home / "run" / "gateway.json"
    beacon.write_text(json.dumps({"pid": 42}))
    aged(beacon, machine.at(2000))
    (nanobot_home / "run" / "gateway.clients.json").write_text("{}")
    (nanobot_home / "workspace" / ".git" / "index.lock").touch()
    chat = next(nanobot_home.glob("sessions/*/*.jsonl"))
    machine.opens(51, chat)
    machine.opens(51, chat)
    machine.opens(52, chat, flags=os.O_RDONLY)
    machine.locks(line(chat, 42, kind="POSIX"), line(chat, 53, kind="POSIX", waits=True))
    rows = locking.survey([only(nanobot_home)])
    assert brief(rows, nanobot_home)[2:] == [
        ("stale", "git", "workspace/.git/index.lock", None),
        ("alive", "beacon", "run/gateway.json", 42),
        ("alive", "posix", str(chat.relative_to(nanobot_home)), 42),
        ("alive", "open", str(chat.relative_to(nanobot_home)), 51),
    ]
    assert [row.clear for row in rows] == [False, False, True, False, False, False]
    posix, opened = rows[4], rows[5]
    assert [one.pid for one in posix.waiting] == [53]
    assert posix.holder is not None
    assert posix.since == posix.holder.started == machine.at(1000)
    assert opened.message == f"python3 (process 51) has {chat} open for writing."
    assert posix.message == f"{chat} is locked by node (process 42)."


def test_a_stale_lock_file_and_a_stale_beacon(machine: Machine, cococat_home: Path, nanobot_home: Path) -> None:
    aged(cococat_home / PID, machine.at(3000))
    (nanobot_home / "run").mkdir()
    beacon = nanobot_home / "run" / "gateway.json"
    beacon.write_text(json.dumps({"pid": 77}))
    rows = locking.survey([only(cococat_home), only(nanobot_home)])
    stale = [row for row in rows if row.state == "stale"]
    assert [(row.kind, row.holder, row.clear) for row in stale] == [
        ("exclusive-file", (4242, "", None), True),
        ("beacon", (77, "", None), False),
    ]
    assert stale[0].since == stale[0].changed == machine.at(3000)


def test_a_number_that_somebody_else_has_now_is_not_called_by_his_name(machine: Machine, cococat_home: Path) -> None:
    machine.runs(4242, "sshd", started=5000)
    aged(cococat_home / PID, machine.at(3000))
    [row] = locking.locks(only(cococat_home))
    assert (row.state, row.holder) == ("stale", (4242, "", None))
    assert "sshd has that number since later" in row.message
    assert locking.as_json(row)["program"] is None


def test_a_lock_without_a_process_that_can_be_seen(machine: Machine, cococat_home: Path) -> None:
    journal = next(cococat_home.rglob("history.jsonl"))
    machine.runs(os.getpid())
    machine.locks(line(journal, -1, kind="OFDLCK"), line(journal, os.getpid(), number=2))
    row = locking.survey([only(cococat_home)])[-1]
    assert (row.state, row.kind, row.holder, row.since) == ("unknown", "ofd", None, None)
    assert row.message == f"{journal} is locked by a process that cannot be seen from here."


def test_memclis_own(machine: Machine, cococat_home: Path) -> None:
    workspace = only(cococat_home)
    store = sealing.store(workspace)
    assert [row.agent for row in locking.locks(workspace)] == ["cococat"]
    with locks.own(store):
        path = Path(store.folder, "lock")
        machine.runs(os.getpid(), "memcli")
        machine.locks(line(path, os.getpid()))
        row = locking.locks(workspace)[-1]
        assert (row.path, row.agent, row.state, row.clear) == (str(path), "memcli", "alive", False)
    assert locking.locks(workspace)[-1].state == "free"


def test_a_state_folder_of_another_user(
    machine: Machine, cococat_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "state").stat().st_uid + 1)
    if (tmp_path / "state").stat().st_uid == 0:
        os.chown(tmp_path / "state", 4711, 4711)
    assert [row.agent for row in locking.locks(only(cococat_home))] == ["cococat"]


def test_each_once(machine: Machine, cococat_home: Path) -> None:
    workspace = only(cococat_home)
    assert len(locking.survey([workspace, workspace])) == len(locking.survey([workspace])) == 1


def test_an_archive(machine: Machine, cococat_home: Path) -> None:
    archive = shutil.make_archive(str(cococat_home), "zip", cococat_home)
    [row] = locking.survey([only(Path(archive))])
    assert (row.state, row.path, row.clear) == ("unknown", f"{archive}/{PID}", False)
    assert row.message == f"{archive}/{PID} is a copy, and who held it cannot be known."


@pytest.mark.parametrize(
    ("waiting", "held", "expected"),
    [((51, 52), 1.0, True), ((51,), 1.0, False), ((51,), 31.0, True), ((), 1e6, False)],
)
def test_storms(machine: Machine, cococat_home: Path, waiting: tuple[int, ...], held: float, expected: bool) -> None:
    [row] = locking.locks(only(cococat_home))
    row = row._replace(since=machine.at(5000), waiting=tuple(map(processes.process, waiting)))
    storms = locking.storms([row, row._replace(waiting=())], machine.at(5000 + held))
    assert len(storms) == expected
    for storm in storms:
        assert storm.longest == machine.at(2000)
        assert locking.storm_json(storm)["waiting"] == list(waiting)


def test_a_storm_of_which_little_is_known(machine: Machine, cococat_home: Path) -> None:
    [row] = locking.locks(only(cococat_home))
    row = row._replace(since=None, holder=None, waiting=(processes.process(77), processes.process(78)))
    [storm] = locking.storms([row], machine.at(5000))
    assert (storm.longest, locking.storm_json(storm)["pid"]) == (None, None)


def test_who_takes_no_locks(samples: Path, cococat_home: Path) -> None:
    catbuddy = only(samples / "catbuddy" / "home-workspace")
    assert locking.without_locks([catbuddy, only(cococat_home), catbuddy]) == ["catbuddy"]


def test_what_cannot_be_seen(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locking.unchecked() == []
    (machine.root / "51" / "fd").rmdir()
    assert locking.unchecked() == ["which files 1 process of other users has open"]
    (machine.root / "52" / "fd").rmdir()
    assert locking.unchecked() == ["which files 2 processes of other users have open"]
    monkeypatch.setattr(processes, "PROC", str(machine.root / "no"))
    assert locking.unchecked() == ["who has files open, and since when processes run: this system does not tell"]
