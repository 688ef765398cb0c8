"""Keeping others from opening a file for a moment (fcntl(2), leases): whoever tries waits until the lease is given up.

Linux only, local file systems only, own files only; elsewhere there is none, and nothing is kept from anybody.
"""

from __future__ import annotations

import time

PATIENCE = 2.0
"""Seconds to wait for others to be done with a file."""


def take(fd: int) -> bool:
    """A lease on an open file that nobody else has open; False when it cannot be had.

    It ends with `give_up` or when the descriptor is closed. memcli itself must not open the file meanwhile.
    """
    import fcntl
    import signal

    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)  # the default would end the process when somebody opens it
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError:
        return False
    return True


def waited_for(fd: int) -> bool:
    """Whether somebody waits to open the leased file."""
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_GETLEASE) != fcntl.F_WRLCK


def give_up(fd: int) -> None:
    """Let everybody open the file again."""
    import fcntl

    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        pass  # the system took it back after /proc/sys/fs/lease-break-time


def wait_until_free(fd: int) -> bool:
    """Wait until nobody else has the file open any more; False after PATIENCE seconds."""
    deadline = time.monotonic() + PATIENCE
    while not take(fd):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    give_up(fd)
    return True


def has_writer(fd: int) -> bool:
    """Whether somebody has the file of a read-only descriptor open for writing; False where that is not known.

    To be asked only where `take` works: network file systems give the same answer for want of a delegation.
    """
    import errno
    import fcntl
    import signal

    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    give_up(fd)
    return False
