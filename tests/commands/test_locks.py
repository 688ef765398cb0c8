"""memcli locks ls and memcli locks clear."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import faults, golden
from support.cli import one_sentence, run
from support.clock import NOW
from support.display import width
from support.machine import Machine, aged, line

from memcli.storage import kernel_locks

WORKSPACES = (
    "catbuddy",
    "cococat-v1-healthy",
    "cococat-v1-damaged",
    "cococat-v2-layout",
    "nanobot-v0.2.2",
    "nanobot-v0.3.5",
    "nanobot-v0.3.5-killed",
)
FORMS = {"tsv": [], "jsonl": ["--json"]}
LOCK = "agents/employee_a/memory/MEMORY.md.lock"
OTHER = "agents/leader/memory/MEMORY.md.lock"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("workspace", WORKSPACES)
def test_golden(
    stage: dict[str, Path], workspace: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Machine(tmp_path / "proc", monkeypatch, now=NOW).runs(1)
    ran = run("locks", "ls", "-W", stage[workspace], *FORMS[form])
    assert ran.code == 0
    golden.check(f"locks/{workspace}.{form}", ran.out, {"SAMPLES": stage[workspace].parent})


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42, started=50_000)
    return machine


@pytest.fixture
def home(tmp_path: Path, samples: Path, machine: Machine) -> Path:
    """A workspace with a lock file of process 4242, which does not run."""
    folder = tmp_path / "home"
    shutil.copytree(samples / "cococat" / "v1-damaged", folder)
    aged(folder / LOCK, machine.at(60_000))
    return folder


def second(home: Path, machine: Machine, text: str) -> Path:
    """Another lock file."""
    path = home / OTHER
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix("").touch()
    path.write_text(text)
    return aged(path, machine.at(60_000))


class TestLs:
    def test_what_is_told_besides(self, home: Path, samples: Path) -> None:
        ran = run("locks", "ls", "-W", home, "-W", samples / "catbuddy" / "home-workspace")
        assert ran.err == (
            "catbuddy takes no locks: only who has its files open can be told.\n"
            f"1 lock file left behind. To remove it: memcli locks clear -W {home}\n"
        )
        assert run("locks", "ls", "-q", "-W", home).err == ""

    def test_the_command_that_is_told_can_be_pasted(self, home: Path, machine: Machine) -> None:
        second(home, machine, "77")
        odd = home.rename(home.with_name("it's odd"))
        ran = run("locks", "ls", "-W", odd)
        quoted = str(odd).replace("'", "'\"'\"'")
        assert ran.err == f"2 lock files left behind. To remove them: memcli locks clear -W '{quoted}'\n"

    def test_where_and_query(self, home: Path, machine: Machine) -> None:
        second(home, machine, "42")
        assert [row[0] for row in run("locks", "ls", "-W", home).rows] == ["stale", "alive"]
        [row] = run("locks", "ls", "-W", home, "--where", "state == 'alive'").rows
        assert row[:4] == ["alive", "exclusive-file", "42", "node"]
        ran = run("locks", "ls", "-W", home, "--where", "state == 'stale'", "--query", "[pid, clear]")
        assert ran.out == "[4242,true]\n"

    def test_a_hostile_name_is_harmless(self, home: Path, machine: Machine) -> None:
        machine.runs(66, "evil\x1b[31m")
        machine.opens(66, home / "agents" / "employee_a" / "memory" / "history.jsonl")
        for ran in (run("locks", "ls", "-W", home), run("locks", "ls", "-W", home, columns=100)):
            assert "\x1b[31m" not in ran.out + ran.err
            assert "evil\\x1b" in ran.out

    @pytest.mark.parametrize("columns", [200, 100, 60, 40, 20])
    def test_on_a_terminal(self, home: Path, machine: Machine, columns: int) -> None:
        machine.runs(51, "python3 agent.py", started=70_000)
        second(home, machine, "42")
        machine.opens(51, home / "agents" / "employee_a" / "memory" / "history.jsonl")
        ran = run("locks", "ls", "-W", home, "--color", "never", columns=columns)
        lines = ran.out.splitlines()
        assert max(map(width, lines)) <= columns
        assert len(lines) == 4
        if columns > 20:
            assert [row[-6:] for row in lines[1:]] == ["d.lock", "d.lock", ".jsonl"]
        assert [row.split()[0] for row in lines[1:]] == ["stale", "alive", "alive"]
        assert f"3 locks, 2 held, 1 stale, in {home}.\n" in ran.err

    def test_sixty_columns(self, home: Path, machine: Machine) -> None:
        second(home, machine, "42")
        when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(machine.at(60_000)))
        assert run("locks", "ls", "-W", home, "--color", "never", columns=60).out == (
            "STATE  HOLDER   SINCE             LOCK\n"
            f"stale  4242     {when}  …e_a/memory/MEMORY.md.lock\n"
            f"alive  node 42  {when}  …der/memory/MEMORY.md.lock\n"
        )

    def test_what_is_unknown_is_explained(self, home: Path, machine: Machine) -> None:
        machine.mounts(("/", "nfs4"))
        second(home, machine, "")
        ran = run("locks", "ls", "-W", home, columns=80)
        assert "whether that is alive cannot be known: it lies on nfs4, which other machines may use.\n" in ran.err
        assert "2 locks, 0 held, 0 stale, in" in ran.err
        assert "To remove" not in ran.err

    def test_several_workspaces_are_summed_up(self, home: Path, stage: dict[str, Path]) -> None:
        named = [word for name in WORKSPACES[:4] for word in ("-W", stage[name])]
        ran = run("locks", "ls", *named, columns=80)
        assert ran.err.rstrip("\n").split("\n")[-3].endswith(" and 1 more.")

    def test_what_cannot_be_looked_into(self, home: Path, machine: Machine) -> None:
        (machine.root / "42" / "fd").rmdir()
        assert "Not checked: which files 1 process of other users has open.\n" in run("locks", "ls", "-W", home).err
        summary = json.loads(run("locks", "ls", "-W", home, "--json").out.splitlines()[-1])
        assert summary["unchecked"] == ["which files 1 process of other users has open"]


HOLD = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def nanobot_home(tmp_path: Path, nanobot: Path) -> Path:
    folder = tmp_path / "nanobot"
    shutil.copytree(nanobot / "nanobot-v0.3.5-killed", folder, symlinks=True)
    for marker in folder.glob(".nanobot/sessions/*/.workspace"):
        marker.write_text(f"{folder}/.nanobot/workspace\n")
    return folder / ".nanobot"


@pytest.fixture
def hold() -> Iterator[Callable[[Path], subprocess.Popen[bytes]]]:
    """Starts a process that takes a flock, sooner or later, and ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(path: Path) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


class TestStorm:
    def test_real_processes(
        self, nanobot_home: Path, tmp_path: Path, hold: Callable[[Path], subprocess.Popen[bytes]]
    ) -> None:
        [lock] = nanobot_home.glob("sessions/*/.session-files.lock")
        holder = hold(lock)
        assert holder.stdout is not None
        holder.stdout.readline()
        waiting = {hold(lock).pid, hold(lock).pid}
        for _ in range(1000):
            found = {pid for _, one in kernel_locks.on({str(lock): lock.stat()}) for pid in one.waiting}
            if found == waiting:
                break
            time.sleep(0.02)
        rows = [json.loads(one) for one in run("locks", "ls", "-W", nanobot_home, "--json").out.splitlines()]
        [row] = [row for row in rows if row["type"] == "lock" and row["path"] == str(lock)]
        assert (row["state"], row["pid"], set(row["waiting"])) == ("alive", holder.pid, waiting)
        assert row["program"].startswith("python")
        assert row["started"] == row["since"]
        [storm] = [row for row in rows if row["type"] == "storm"]
        assert (storm["path"], storm["pid"], set(storm["waiting"])) == (str(lock), holder.pid, waiting)
        assert storm["longest"] is not None
        assert rows[-1]["type"] == "summary"
        ran = run("locks", "ls", "-W", nanobot_home)
        assert f"(process {holder.pid}) holds {lock} since 20" in ran.err
        assert ", and 2 wait: python" in ran.err
        one_sentence(run("locks", "clear", "session-files", "-W", nanobot_home), 4, "look at that. Nothing was")

    def test_many(self, nanobot_home: Path, machine: Machine) -> None:
        chat = next(nanobot_home.glob("sessions/*/*.jsonl"))
        for pid in range(50, 58):
            machine.runs(pid, "", started=60_000)
        machine.locks(line(chat, 77), *(line(chat, pid, waits=True) for pid in range(50, 58)))
        ran = run("locks", "ls", "-W", nanobot_home)
        assert ran.err.startswith(
            f"Lock storm: {chat} is held, and 8 wait: MainThread (process 50), running for 11 h, "
        )
        assert ran.err.count("running for") == 5
        assert " and 3 more.\n" in ran.err
        [row] = [row for row in ran.rows if row[6] == str(chat)]
        assert row[5] == ",".join(map(str, range(50, 58)))

    def test_one_that_waits_for_long(self, nanobot_home: Path, machine: Machine) -> None:
        chat = next(nanobot_home.glob("sessions/*/*.jsonl"))
        machine.locks(line(chat, 42), line(chat, 77, waits=True))
        ran = run("locks", "ls", "-W", nanobot_home)
        assert ran.err.startswith(f"Lock storm: node (process 42) holds {chat} since 20")
        assert " (13 h) at the earliest, and 1 waits: process 77.\n" in ran.err


class TestClear:
    def test_and_undo(self, home: Path) -> None:
        before = (home / LOCK).read_bytes(), (home / LOCK).stat().st_mtime_ns
        ran = run("locks", "clear", "-W", home)
        [[operation, state, path]] = ran.rows
        assert (ran.code, state, path) == (0, "removed", str(home / LOCK))
        assert ran.err == f"Writing to {home}.\nUndo: memcli undo {operation}\n"
        assert not (home / LOCK).exists()
        assert run("undo", operation).code == 0
        assert ((home / LOCK).read_bytes(), (home / LOCK).stat().st_mtime_ns) == before

    def test_quietly(self, home: Path) -> None:
        ran = run("locks", "clear", "-W", home, "-q")
        assert (ran.code, len(ran.rows), ran.err) == (0, 1, "")

    def test_json(self, home: Path) -> None:
        row = json.loads(run("locks", "clear", "-W", home, "--json").out)
        assert row == {"type": "operation", "id": row["id"], "path": str(home / LOCK), "state": "removed", "pid": 4242}
        assert row["id"]

    def test_dry_run(self, home: Path, tmp_path: Path) -> None:
        ran = run("locks", "clear", "-W", home, "--dry-run")
        assert (ran.code, ran.rows, ran.err) == (0, [["", "would be removed", str(home / LOCK)]], "")
        assert (home / LOCK).exists()
        assert not (tmp_path / "state").exists()
        assert json.loads(run("locks", "clear", "-W", home, "--dry-run", "--json").out)["id"] is None

    @pytest.mark.parametrize("more", [[], ["--dry-run"]])
    def test_nothing_is_stale(self, home: Path, machine: Machine, more: list[str]) -> None:
        (home / LOCK).unlink()
        second(home, machine, "42")
        one_sentence(
            run("locks", "clear", "-W", home, *more), 1, "'memcli locks ls' tells who holds the one that is held."
        )

    @pytest.mark.parametrize("more", [[], ["--dry-run"]])
    def test_the_owner_lives(self, home: Path, machine: Machine, more: list[str]) -> None:
        path = second(home, machine, "42")
        ran = run("locks", "clear", "leader", "-W", home, *more)
        one_sentence(ran, 4, f"{path} is held by node (process 42). It goes when process 42 is done")
        assert path.exists()
        assert (home / LOCK).exists()

    def test_what_was_cleared_meanwhile_is_told(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from memcli.core import repairing

        real = repairing.may_write

        def removed_first(*arguments: object) -> object:
            (home / LOCK).unlink()
            return real(*arguments)

        monkeypatch.setattr(repairing, "may_write", removed_first)
        ran = run("locks", "clear", "-W", home)
        assert ran.rows == [["", "gone", str(home / LOCK)]]
        assert ran.err.endswith(
            "What is gone was cleared meanwhile: by its owner, or as left by a memcli that was killed.\n"
        )

    def test_what_a_killed_memcli_left(self, home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is known by its note, and goes when the operation begins."""
        from memcli.core import sealing
        from memcli.core.discovering import at
        from memcli.storage import locks
        from memcli.storage.holders import Lock

        (home / LOCK).unlink()
        [workspace] = at(str(home), None)

        def killed() -> None:
            with locks.hold([Lock("exclusive-file", str(home / LOCK))], store=sealing.store(workspace)):
                os.kill(os.getpid(), 9)

        monkeypatch.undo()
        faults.quick_disk(monkeypatch)
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(home.parent / "state"))
        assert faults.run(killed).code == -9
        assert (home / LOCK).exists()
        ran = run("locks", "clear", "-W", home)
        assert [row[1] for row in ran.rows] == ["gone"]
        assert list((home / LOCK).parent.glob("*.lock")) == []
        assert list((home / LOCK).parent.glob(".memcli*")) == []
