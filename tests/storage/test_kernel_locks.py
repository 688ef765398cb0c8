"""The locks that the kernel keeps, by a table of a test's own and by real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.machine import Machine, line

from memcli.storage import kernel_locks, processes
from memcli.storage.kernel_locks import KernelLock


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    return machine


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lock"
    path.touch()
    return path


def found(file: Path) -> list[KernelLock]:
    return [lock for path, lock in kernel_locks.on({str(file): file.stat()}) if path == str(file)]


TABLE = (
    "1: POSIX  ADVISORY  WRITE 23257 fe:00:399286 0 EOF",
    "2: FLOCK  ADVISORY  WRITE 28004 fe:00:2171802 0 EOF",
    "2: -> FLOCK  ADVISORY  WRITE 28047 fe:00:2171802 0 EOF",
    "2:  -> FLOCK  ADVISORY  WRITE 28048 fe:00:2171802 0 EOF",
    "3: OFDLCK ADVISORY  READ  -1 00:2a:17 0 EOF",
    "4: LEASE  ACTIVE    READ  99 08:01:5 0 EOF",
    "5: ACCESS ADVISORY  READ  99 08:01:5 0 EOF",
    "6: -> FLOCK  ADVISORY  WRITE 28048 fe:00:2171802 0 EOF",
    "7: FLOCK  ADVISORY  WRITE x y",
    "",
)


def test_the_table(machine: Machine) -> None:
    machine.locks(*TABLE)
    assert kernel_locks.table() == [
        KernelLock("posix", 23257, "fe:00", 399286),
        KernelLock("flock", 28004, "fe:00", 2171802, (28047, 28048)),
        KernelLock("ofd", -1, "00:2a", 17),
        KernelLock("lease", 99, "08:01", 5),
    ]


def test_no_table(machine: Machine) -> None:
    (machine.root / "locks").unlink()
    assert kernel_locks.table() == []


def test_on_a_file(machine: Machine, file: Path) -> None:
    other = file.with_name("other")
    other.touch()
    machine.locks(line(file, 42), line(other, 42, number=2), line(file, 43, number=1, waits=True))
    [lock] = found(file)
    assert (lock.kind, lock.pid, lock.waiting) == ("flock", 42, (43,))


def test_a_file_system_with_two_devices(machine: Machine, file: Path) -> None:
    """The kernel's table names another device than stat does: what a process has open tells."""
    machine.locks(line(file, 42, device="00:99"))
    assert found(file) == []
    machine.opens(42, file)
    assert [lock.pid for lock in found(file)] == [42]


@pytest.mark.parametrize(("locked", "expected"), [(True, 50), (False, 0)])
def test_who_took_it_is_gone(machine: Machine, file: Path, locked: bool, expected: int) -> None:
    """A flock goes on while a child has the descriptor."""
    machine.locks(line(file, 77))
    machine.runs(50)
    machine.opens(50, file, locked=locked)
    assert [lock.pid for lock in found(file)] == [expected]


def test_a_lock_without_a_pid(machine: Machine, file: Path) -> None:
    machine.locks(line(file, -1, kind="OFDLCK"))
    assert [(lock.kind, lock.pid) for lock in found(file)] == [("ofd", 0)]


HOLD = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR)
getattr(fcntl, sys.argv[2])(fd, fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(600)
"""
INHERIT = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
child = os.fork()
if child:
    print(child, flush=True)
else:
    time.sleep(600)
"""
Run = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def run() -> Iterator[Run]:
    """Starts a script as a process, which ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(script: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def ready(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it never came")


@pytest.mark.parametrize(("call", "kind"), [("flock", "flock"), ("lockf", "posix")])
def test_real_processes_that_hold_and_wait(file: Path, run: Run, call: str, kind: str) -> None:
    holder = run(HOLD, file, call)
    assert ready(holder) == b"ready\n"
    waiting = {run(HOLD, file, call).pid for _ in range(3)}
    until(lambda: {pid for lock in found(file) for pid in lock.waiting} == waiting)
    [lock] = found(file)
    assert (lock.kind, lock.pid) == (kind, holder.pid)
    holder.kill()
    until(lambda: {lock.pid for lock in found(file)} <= waiting and len(found(file)[:1]) == 1)
    [lock] = found(file)
    assert len(lock.waiting) == 2


def test_a_real_child_that_was_left_a_lock(file: Path, run: Run) -> None:
    parent = run(INHERIT, file)
    child = int(ready(parent))
    try:
        parent.wait()
        until(lambda: not processes.running(parent.pid))
        assert [lock.pid for lock in found(file)] == [child]
    finally:
        os.kill(child, 9)
    until(lambda: found(file) == [])
