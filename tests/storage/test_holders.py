"""Who holds a lock, by what the lock's file says and by what runs on the machine."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support.machine import TICKS, Machine, aged, line

from memcli.storage import processes
from memcli.storage.holders import Holder, Lock, probe

DAY = 86_400.0


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """42 runs since the second 1000."""
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    return machine


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "MEMORY.md.lock"


def held(path: Path, kind: str = "exclusive-file") -> Holder:
    holder = probe(Lock(kind, str(path)))
    assert holder is not None
    assert holder.sentence.startswith(f"{path} ")
    assert holder.sentence.endswith(".")
    return holder


class TestLockFiles:
    @pytest.mark.parametrize(
        ("text", "made", "alive", "phrase"),
        [
            ("42", 2000.0, True, "is held by node (process 42)."),
            ("42\n", 2000.0, True, "is held by node (process 42)."),
            (
                "42",
                900.0,
                False,
                "left by process 42, which does not run here any more; node has that number since later",
            ),
            ("42", -DAY, False, "left by process 42, which ended with the last shutdown, 20"),
            ("77", 2000.0, False, "left by process 77, which does not run here any more."),
            ("77", -DAY, False, "left by process 77, which ended with the last shutdown, 20"),
            ("", 2000.0, None, "is there and does not say who holds it"),
            ("host:42", 2000.0, None, "is there and does not say who holds it"),
            ("", -DAY, False, "left by a process that ended with the last shutdown, 20"),
        ],
    )
    def test_by_pid_and_time(
        self, machine: Machine, file: Path, text: str, made: float, alive: bool | None, phrase: str
    ) -> None:
        file.write_text(text)
        aged(file, machine.at(made))
        holder = held(file)
        assert (holder.alive, holder.since) == (alive, machine.at(made))
        assert phrase in holder.sentence
        assert holder.pid == (int(text) if text.strip().isdigit() else None)

    @pytest.mark.parametrize(
        ("pid", "starttime", "made", "alive"),
        [
            (42, 1000 * TICKS, 2000.0, True),
            (42, 1000 * TICKS, 900.0, True),  # more exact than the file's time
            (42, 1000 * TICKS + 1, 2000.0, False),  # the number was given out again
            (42, 1000 * TICKS, -DAY, False),
            (42, "soon", 2000.0, True),
            (42, True, 900.0, False),
            (42, None, 900.0, False),
            (77, 1000 * TICKS, 2000.0, False),
        ],
    )
    def test_by_pid_and_start_time(
        self, machine: Machine, file: Path, pid: int, starttime: object, made: float, alive: bool
    ) -> None:
        file.write_text(json.dumps({"pid": pid, "createdAt": "x", "starttime": starttime}, indent=2))
        aged(file, machine.at(made))
        assert (held(file).alive, held(file).pid) == (alive, pid)

    def test_a_start_time_that_cannot_be_compared(self, machine: Machine, file: Path) -> None:
        machine.hide(42)
        file.write_text(json.dumps({"pid": 42, "starttime": 1000 * TICKS}))
        aged(file, machine.at(2000))
        assert held(file).alive is None

    @pytest.mark.parametrize(
        "text", ["{}", '{"pid":"42"}', '{"pid":false}', "[42]", "[" * 100_000, "9" * 5000, "\0" * 9]
    )
    def test_what_names_no_process(self, machine: Machine, file: Path, text: str) -> None:
        file.write_text(text)
        aged(file, machine.at(2000))
        assert (held(file).alive, held(file).pid) == (None, None)

    @pytest.mark.parametrize(
        ("text", "made", "phrase"),
        [
            ("42", 2000.0, "and whether that is alive cannot be known: it lies on nfs4, which other machines may use"),
            ("77", 2000.0, "it lies on nfs4"),
            ("77", -DAY, "it lies on nfs4"),
            ("", -DAY, "does not say who holds it"),
        ],
    )
    def test_another_machine_may_hold_it(
        self, machine: Machine, file: Path, text: str, made: float, phrase: str
    ) -> None:
        machine.mounts(("/", "nfs4"))
        file.write_text(text)
        aged(file, machine.at(made))
        holder = held(file)
        assert holder.alive is None
        assert phrase in holder.sentence

    def test_a_process_outside_of_this_container_may_hold_it(self, machine: Machine, file: Path) -> None:
        machine.namespace("pid:[1]")
        file.write_text("77")
        aged(file, machine.at(2000))
        holder = held(file)
        assert holder.alive is None
        assert holder.sentence == (
            f"{file} was made by process 77, which does not run here any more, but this is a container, and a process "
            "outside of it may use the folder."
        )
        aged(file, machine.at(-DAY))  # the machine was started since, the container with it
        assert held(file).alive is False
        file.write_text("42")
        assert held(file).alive is True

    def test_a_process_in_a_container_may_hold_it(self, machine: Machine, file: Path) -> None:
        machine.runs(5000, "python3 agent", inner=7)
        file.write_text("7")
        aged(file, machine.at(2000))
        holder = held(file)
        assert holder.alive is None
        assert "in a container here a process has that number (python3 (process 5000))" in holder.sentence

    def test_a_process_of_another_user(self, machine: Machine, file: Path) -> None:
        machine.hide(42)
        file.write_text("42")
        aged(file, machine.at(2000))
        holder = held(file)
        assert holder.alive is None
        assert "whether the process that has this number is the same one cannot be known" in holder.sentence

    @pytest.mark.parametrize("pid", [42, 77])
    def test_where_the_system_tells_nothing(
        self, machine: Machine, file: Path, monkeypatch: pytest.MonkeyPatch, pid: int
    ) -> None:
        monkeypatch.setattr(processes, "PROC", str(machine.root / "no"))
        file.write_text(str(pid))
        assert held(file).alive is None

    def test_a_symlink_and_a_folder(self, machine: Machine, file: Path) -> None:
        target = file.with_name("target")
        target.write_text("77")
        file.symlink_to(target)
        assert (held(file).alive, "is a symlink" in held(file).sentence) == (None, True)
        file.unlink()
        file.mkdir()
        assert (held(file).alive, "it is a folder" in held(file).sentence) == (None, True)

    def test_none(self, machine: Machine, file: Path) -> None:
        for kind in ("exclusive-file", "git", "beacon", "flock"):
            assert probe(Lock(kind, str(file))) is None


class TestGit:
    def test_somebody_has_it_open(self, machine: Machine, file: Path) -> None:
        file.touch()
        machine.opens(42, file)
        assert (held(file, "git").pid, held(file, "git").alive) == (42, True)

    @pytest.mark.parametrize(
        ("command", "started", "made", "alive", "phrase"),
        [
            ("git commit", 1500.0, 2000.0, None, "git (process 50) runs and is older"),
            ("/usr/lib/git-core/git-remote-https x", 1500.0, 2000.0, None, "git-remote-https (process 50)"),
            ("git commit", 2500.0, 2000.0, False, "no process has it open, and no git is as old"),
            ("git fsmonitor--daemon run", 1500.0, 2000.0, False, "no process has it open"),
            ("vim git", 1500.0, 2000.0, False, "no process has it open"),
            ("git commit", 1500.0, -DAY, False, "by a git that ended with the last shutdown, 20"),
        ],
    )
    def test_nobody_has_it_open(
        self, machine: Machine, file: Path, command: str, started: float, made: float, alive: bool | None, phrase: str
    ) -> None:
        """A git that waits for an editor has closed it."""
        file.touch()
        aged(file, machine.at(made))
        machine.runs(50, command, started=started)
        holder = held(file, "git")
        assert (holder.alive, holder.pid) == (alive, None)
        assert phrase in holder.sentence

    @pytest.mark.parametrize("made", [2000.0, -DAY])
    def test_another_machine_may_hold_it(self, machine: Machine, file: Path, made: float) -> None:
        machine.mounts(("/", "fuse.sshfs"))
        file.touch()
        aged(file, machine.at(made))
        assert (held(file, "git").alive, "fuse.sshfs" in held(file, "git").sentence) == (None, True)

    def test_another_users(self, machine: Machine, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file.touch()
        aged(file, machine.at(2000))
        monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
        assert (held(file, "git").alive, "another user" in held(file, "git").sentence) == (None, True)


class TestBeacons:
    @pytest.mark.parametrize(
        ("pid", "made", "alive", "phrase"),
        [
            (42, 2000.0, True, "says that the agent runs as node (process 42)."),
            (42, 900.0, False, "process 42, which does not run here any more; node has that number since later."),
            (77, 2000.0, False, "process 77, which does not run here any more."),
            (42, -DAY, False, "process 42, which ended with the last shutdown"),
        ],
    )
    def test_by_pid_and_time(
        self, machine: Machine, file: Path, pid: int, made: float, alive: bool, phrase: str
    ) -> None:
        file.write_text(json.dumps({"pid": pid, "port": 18790}))
        aged(file, machine.at(made))
        holder = held(file, "beacon")
        assert (holder.alive, holder.pid, holder.since) == (alive, pid, machine.at(made))
        assert phrase in holder.sentence

    @pytest.mark.parametrize("text", ["{", "[42]", '{"pid":"42"}', '{"pid":true}', "{}", "[" * 100_000])
    def test_what_names_no_process(self, machine: Machine, file: Path, text: str) -> None:
        file.write_text(text)
        assert probe(Lock("beacon", str(file))) is None


class TestFlock:
    @pytest.fixture
    def locked(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A file on which our own attempt at a lock fails."""
        import fcntl

        def refuse(*_: object) -> None:
            raise BlockingIOError

        file.touch()
        monkeypatch.setattr(fcntl, "flock", refuse)
        return file

    def test_holder_and_those_who_wait(self, machine: Machine, locked: Path) -> None:
        machine.locks(line(locked, 42), line(locked, 51, waits=True), line(locked, 52, waits=True))
        holder = held(locked, "flock")
        assert (holder.pid, holder.alive, holder.waiting) == (42, True, (51, 52))
        assert holder.since == machine.at(1000)
        assert holder.sentence == f"{locked} is locked by node (process 42)."

    def test_another_machine_holds_it(self, machine: Machine, locked: Path) -> None:
        machine.mounts(("/", "nfs4"))
        holder = held(locked, "flock")
        assert (holder.pid, holder.alive, holder.since) == (None, None, None)
        assert "it lies on nfs4, which other machines may use" in holder.sentence

    def test_a_process_that_cannot_be_seen(self, machine: Machine, locked: Path) -> None:
        holder = held(locked, "flock")
        assert (holder.pid, holder.alive) == (None, None)
        assert "it cannot be seen from here" in holder.sentence

    @pytest.mark.parametrize("seen", [True, False])
    def test_a_file_that_may_not_be_opened(
        self, machine: Machine, file: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
    ) -> None:
        file.touch()
        if seen:
            machine.locks(line(file, 42))
        real = os.open

        def refuse(path: object, *rest: object, **more: object) -> int:
            if path == str(file):
                raise PermissionError(13, "")
            return real(path, *rest, **more)

        monkeypatch.setattr(os, "open", refuse)
        holder = held(file, "flock")
        assert (holder.pid, holder.alive) == ((42, True) if seen else (None, None))
        assert ("permission denied" in holder.sentence) != seen


def test_time_of_the_last_shutdown_is_local(machine: Machine, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("77")
    aged(file, 1_000_000_000)
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    assert "2001-09-09 09:46" in held(file).sentence
