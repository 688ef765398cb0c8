"""A machine of a test's own: a folder that stands for /proc, with the processes, locks and mounts that the test wants."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memcli.storage import elsewhere, processes

TICKS = os.sysconf("SC_CLK_TCK")


class Machine:
    """A machine that was started `up` seconds ago (before `now`), on which nothing runs yet. os.kill knows its processes
    only."""

    def __init__(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, up: float = 100_000.0, now: float | None = None
    ) -> None:
        self.root = root
        self.boot = int((time.time() if now is None else now) - up)
        root.mkdir()
        (root / "stat").write_text(f"cpu  1 2 3\nbtime {self.boot}\n")
        (root / "self" / "ns").mkdir(parents=True)
        self.namespace(elsewhere.FIRST_NAMESPACE)
        self.mounts(("/", "ext4"))
        self.locks()
        clock = root / "clock"
        clock.touch()
        self.clock_showed(self.boot)
        self.hidden: set[int] = set()
        monkeypatch.setattr(processes, "PROC", str(root))
        monkeypatch.setattr(processes, "CLOCK", str(clock))
        monkeypatch.setattr(os, "kill", self._kill)

    def runs(
        self,
        pid: int,
        command: str = "node agent.js",
        *,
        started: float = 1000.0,
        state: str = "S",
        threads: int = 1,
        inner: int | None = None,
    ) -> None:
        """A process that was started so many seconds after the machine. `inner` is its number in a container."""
        folder = self.root / str(pid)
        (folder / "fd").mkdir(parents=True)
        (folder / "fdinfo").mkdir()
        fields = [state, "1", *["0"] * 15, str(threads), "0", str(int(started * TICKS)), "0"]
        (folder / "stat").write_text(f"{pid} (odd) name) {' '.join(fields)}\n")
        (folder / "comm").write_text("MainThread\n")
        (folder / "cmdline").write_bytes(command.replace(" ", "\0").encode() + b"\0" if command else b"")
        numbers = [pid] if inner is None else [pid, inner]
        (folder / "status").write_text("Name:\tnode\nNSpid:\t" + "\t".join(map(str, numbers)) + "\n")

    def opens(self, pid: int, path: Path, *, flags: int = os.O_RDWR, locked: bool = False) -> None:
        """The process has a file open."""
        number = str(len(list((self.root / str(pid) / "fd").iterdir())) + 3)
        (self.root / str(pid) / "fd" / number).symlink_to(path)
        lock = "lock:\t1: FLOCK  ADVISORY  WRITE 1 00:00:1 0 EOF\n" if locked else ""
        (self.root / str(pid) / "fdinfo" / number).write_text(f"pos:\t0\nflags:\t0{flags:o}\n{lock}")

    def locks(self, *lines: str) -> None:
        """What /proc/locks tells."""
        (self.root / "locks").write_text("".join(f"{line}\n" for line in lines))

    def mounts(self, *places: tuple[str, str]) -> None:
        """The mounted file systems: place (as the kernel writes it) and kind."""
        lines = [
            f"{n} 1 0:{n} / {place} rw,relatime shared:1 - {kind} x rw\n" for n, (place, kind) in enumerate(places)
        ]
        (self.root / "self" / "mountinfo").write_text("".join(lines))

    def namespace(self, name: str) -> None:
        """The namespace that memcli runs in."""
        link = self.root / "self" / "ns" / "pid"
        link.unlink(missing_ok=True)
        link.symlink_to(name)

    def clock_showed(self, when: float) -> None:
        """What the clock showed when the machine was started; it was put right since."""
        os.utime(self.root / "clock", (when, when))

    def hide(self, pid: int) -> None:
        """Take the process out of sight (hidepid): os.kill still knows it, as another user's."""
        self.hidden.add(pid)
        (self.root / str(pid)).rename(self.root / f"hidden-{pid}")

    def at(self, started: float) -> float:
        """The moment so many seconds after the start of the machine."""
        return self.boot + started

    def _kill(self, pid: int, signal: int) -> None:
        assert signal == 0
        if pid in self.hidden:
            raise PermissionError
        if not (self.root / str(pid)).exists():
            raise ProcessLookupError


def line(path: Path, pid: int, *, kind: str = "FLOCK", number: int = 1, waits: bool = False, device: str = "") -> str:
    """A line of /proc/locks about a file."""
    status = path.stat()
    device = device or f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    arrow = "-> " if waits else ""
    return f"{number}: {arrow}{kind}  ADVISORY  WRITE {pid} {device}:{status.st_ino} 0 EOF"


def aged(path: Path, when: float) -> Path:
    """The file, with that time of change."""
    os.utime(path, (when, when))
    return path
