"""Whether a process is alive and can be the one that a file speaks of."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support.machine import Machine

from memcli.storage import processes

BEFORE, AFTER = 900.0, 1100.0
"""Seconds after the start of the machine: before and after process 42 began, at 1000."""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    return machine


class TestThisMachine:
    def test_this_process(self) -> None:
        began = processes.started(os.getpid())
        assert began is not None
        assert began <= time.time() + 1
        assert processes.running(os.getpid())
        assert processes.running(os.getpid(), time.time())
        assert not processes.running(os.getpid(), began - 1e8)
        assert f"(process {os.getpid()})" in processes.named(os.getpid())
        assert os.getpid() in processes.pids()
        assert processes.process(os.getpid()).started == began

    @pytest.mark.parametrize("pid", [0, -1, 4_194_305, 1 << 31, 1 << 70])
    def test_none(self, pid: int) -> None:
        assert not processes.running(pid)

    def test_nothing_is_known(self) -> None:
        assert processes.started(4_194_305) is None
        assert processes.named(4_194_305) == "process 4194305"

    def test_another_users(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "kill", refuse)
        assert processes.running(os.getpid())


@pytest.mark.parametrize(
    ("pid", "since", "expected"),
    [
        (42, AFTER, True),
        (42, 999.0, True),  # rounding
        (42, BEFORE, False),  # the number was given out again
        (42, -50.0, False),  # by the next boot
        (43, AFTER, False),
        (42, None, True),
        (43, None, False),
    ],
)
def test_owner(machine: Machine, pid: int, since: float | None, expected: bool) -> None:
    when = None if since is None else machine.at(since)
    assert processes.owner(pid, when) is expected
    assert processes.running(pid, when) is expected


@pytest.mark.parametrize(("since", "expected"), [(AFTER, None), (BEFORE, None), (-50.0, False), (None, True)])
def test_a_process_that_is_hidden(machine: Machine, since: float | None, expected: bool | None) -> None:
    """Another user's, with /proc mounted so that it is not seen: alive, but since when is not known."""
    machine.hide(42)
    assert processes.owner(42, None if since is None else machine.at(since)) is expected


@pytest.mark.parametrize(
    ("state", "threads", "expected"), [("S", 1, True), ("Z", 1, False), ("X", 0, False), ("Z", 5, True)]
)
def test_a_process_that_ended_holds_nothing(machine: Machine, state: str, threads: int, expected: bool) -> None:
    """Z: nobody asked yet how it ended. With threads left it goes on without the first."""
    machine.runs(44, state=state, threads=threads)
    assert processes.running(44) is expected


def test_the_clock_was_put_forward(machine: Machine) -> None:
    """Times of this boot from before that are behind by as much: nothing younger than it is sure to be another."""
    machine.clock_showed(machine.at(-500_000))
    then = machine.at(-500_000) + 1100
    assert processes.owner(42, then) is None
    assert not processes.before_boot(then)
    assert processes.before_boot(machine.at(-200_000))  # the clock of this boot never showed that
    assert processes.owner(42, machine.at(BEFORE)) is False
    machine.clock_showed(machine.at(-5))  # put right by 5 seconds: no more is unsure
    assert processes.owner(42, machine.at(996.0)) is None
    assert processes.owner(42, machine.at(990.0)) is False
    assert processes.owner(42, machine.at(1000.0)) is True


def test_where_the_system_tells_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processes, "PROC", str(tmp_path / "no"))
    assert processes.owner(42, machine.at(AFTER)) is None
    assert processes.owner(43, machine.at(AFTER)) is False
    assert not processes.before_boot(0)
    assert processes.booted() is None
    assert processes.pids() == []
    assert processes.process(42) == (42, "", None)


def test_without_a_file_that_tells_the_clock(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "CLOCK", str(machine.root / "no"))
    assert processes.before_boot(machine.at(-50))
    assert processes.owner(42, machine.at(BEFORE)) is False


@pytest.mark.parametrize("content", ["", "cpu 1\n", "btime x\n", "btime\n"])
def test_a_stat_that_tells_no_boot(machine: Machine, content: str) -> None:
    (machine.root / "stat").write_text(content)
    assert processes.booted() is None
    assert processes.started(42) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/usr/bin/node agent.js --key secret", "node"),
        ("nanobot: gateway", "nanobot"),
        ("", "MainThread"),  # the kernel's own
        ("/usr/bin/进程", "进程"),
    ],
)
def test_the_name_of_a_program(machine: Machine, command: str, expected: str) -> None:
    machine.runs(50, command)
    assert processes.program(50) == expected
    assert processes.named(50) == f"{expected} (process 50)"
