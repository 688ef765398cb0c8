"""The end of a process: as sys.exit ends it, without taking apart what the system takes back at once."""

from __future__ import annotations

import atexit
import os
import sys


def leave(code: int) -> None:
    """End the process with an exit code, after its threads and what atexit knows of; what was written is written out.

    Returns where the usual end is wanted: somebody who looks on has something to say when the code has ended, or writing out
    fails, which the usual end tells.
    """
    if _is_watched():
        return
    _wait_for_threads()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)  # taking 20,000 rows and 500 modules apart takes as long as listing 1,000 sessions


def keep(rows: object) -> None:
    """Hold what a command is done with until the end, when it need not be taken apart: the rows of 20,000 sessions are 100,000
    objects. One thing is held at a time."""
    _kept[:] = [rows]


def _is_watched() -> bool:
    """Whether a debugger, a profiler or coverage looks on, or an interactive Python waits for the end."""
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    tools = [monitoring.get_tool(number) for number in range(6)] if monitoring else []
    return any((sys.gettrace(), sys.getprofile(), sys.flags.inspect, sys.flags.dev_mode, *tools))


def _wait_for_threads() -> None:
    threading = sys.modules.get("threading")
    if threading is None:
        return
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


_kept: list[object] = []
