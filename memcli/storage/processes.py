"""Whether a process is alive, and whether it is the one that a file speaks of."""

from __future__ import annotations

import os

SLACK = 2.0
"""Seconds by which the start of a process and the time of a file may differ in rounding."""


def running(pid: int, since: float | None = None) -> bool:
    """Whether a process has this pid; with `since` (seconds since 1970), one that was started before.

    A pid is given out again: a process that began after a lock was taken did not take it (AgentTeams 267).
    """
    if not 0 < pid < 1 << 31:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's process is alive as well
    begun = started(pid)
    return begun is None or since is None or begun <= since + SLACK


def started(pid: int) -> float | None:
    """When a process was started, in seconds since 1970; None when that is not known here."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open("/proc/stat", "rb") as file:
            booted = next(int(line.split()[1]) for line in file if line.startswith(b"btime"))
        return booted + int(fields[19]) / os.sysconf("SC_CLK_TCK")  # proc(5): field 22, two are cut off in front
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def named(pid: int) -> str:
    """A process for a sentence: `node (process 4242)`."""
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            name = file.read().strip().decode("utf-8", "replace")
    except OSError:
        name = ""
    return f"{name} (process {pid})" if name else f"process {pid}"
