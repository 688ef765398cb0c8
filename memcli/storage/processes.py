"""Processes: whether one is alive, since when and as what it runs, and whether it can be the one that a file speaks of."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

PROC = "/proc"
"""Where the kernel tells of processes; it need not be there (macOS)."""
CLOCK = "/dev/null"
"""A file that the kernel makes when it starts: it bears the time that the clock showed then."""
SLACK = 2.0
"""Seconds by which the start of a process and the time of a file may differ in rounding."""
LARGEST = 1 << 22
"""No process of Linux has a larger number (proc_sys_kernel(5), pid_max)."""


class Process(NamedTuple):
    """A process: `program` is the name of what runs, "" when not known; `started` in seconds since 1970, or None."""

    pid: int
    program: str
    started: float | None


def process(pid: int) -> Process:
    """What can be seen of a process."""
    return Process(pid, program(pid), started(pid))


def running(pid: int, since: float | None = None) -> bool:
    """Whether a process has this pid; with `since` (seconds since 1970), one that may have been started before."""
    return owner(pid, since) is not False


def owner(pid: int, since: float | None = None, ticks: int | None = None) -> bool | None:
    """Whether the process that has this pid can be the one that had it at `since`, in seconds since 1970.

    False: there is none, or it was started later, as a pid is given out again (AgentTeams 267), also by the next boot.
    None: there is one, and since when is not known here. `ticks` is when the one that is meant was started, as the kernel
    counts (proc(5), starttime): where that is known there is no doubt.
    """
    if not _there(pid):
        return False
    begun_at = _stat(pid)[19:20]
    if ticks is not None and begun_at and begun_at[0].isdigit() and not (since is not None and before_boot(since)):
        return int(begun_at[0]) == ticks
    if since is None:
        return True
    begun = started(pid)
    if begun is None:
        return False if before_boot(since) else None
    if begun <= since + SLACK:
        return True
    return False if begun > since + _behind(since) + SLACK else None


def before_boot(when: float) -> bool:
    """Whether a time is surely before the system was started: no process is left of then."""
    boot = booted()
    return boot is not None and when + _behind(when) < boot - SLACK


def booted() -> float | None:
    """When the system was started, in seconds since 1970; None when that is not known here."""
    try:
        with open(f"{PROC}/stat", "rb") as file:
            return next(float(line.split()[1]) for line in file if line.startswith(b"btime"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def started(pid: int) -> float | None:
    """When a process was started, in seconds since 1970; None when that is not known here."""
    fields, boot = _stat(pid), booted()
    try:
        return None if boot is None else boot + int(fields[19]) / os.sysconf("SC_CLK_TCK")  # proc(5): field 22
    except (ValueError, IndexError):
        return None


def program(pid: int) -> str:
    """The name of the program that a process runs, "" when that is not known here.

    From the command line, as the name that the kernel keeps is one of a thread's (`MainThread` for node).
    """
    try:
        with open(f"{PROC}/{pid}/comm", "rb") as file:
            short = file.read(64).decode("utf-8", "replace")
    except OSError:
        short = ""
    for name in (*command(pid)[:1], short):
        words = name.split()
        if words and (found := os.path.basename(words[0]).rstrip(":")):
            return found
    return ""


def command(pid: int) -> list[str]:
    """The words of the command line of a process, [] when that is not known here. They may hold secrets."""
    try:
        with open(f"{PROC}/{pid}/cmdline", "rb") as file:
            return file.read(4096).decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def named(pid: int) -> str:
    """A process for a sentence: `node (process 4242)`."""
    name = program(pid)
    return f"{name} (process {pid})" if name else f"process {pid}"


def pids() -> list[int]:
    """Every process that can be seen; [] where the kernel does not tell."""
    try:
        return [int(name) for name in os.listdir(PROC) if name.isdigit()]
    except OSError:
        return []


def _there(pid: int) -> bool:
    if not 0 < pid < 1 << 31:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's process is alive as well
    fields = _stat(pid)  # one that ended holds nothing, however long nobody asks how it ended
    return not (fields and fields[0] in (b"Z", b"X") and fields[17:18] in ([b"0"], [b"1"]))


def _stat(pid: int) -> list[bytes]:
    """What proc(5) tells of a process, from field 3 (its state) on; [] when it cannot be read."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _behind(when: float) -> float:
    """By how many seconds the clock may have been behind at `when`, if that is a time of this boot before the clock was put
    forward: on a board without a clock of its own, or in a virtual machine that was resumed. The kernel reckons its own
    times by the clock of now."""
    boot = booted()
    try:
        showed = os.stat(CLOCK).st_mtime
    except OSError:
        return 0.0
    if boot is None or boot <= showed:
        return 0.0
    return boot - showed if showed - SLACK <= when <= showed + (time.time() - boot) + SLACK else 0.0
