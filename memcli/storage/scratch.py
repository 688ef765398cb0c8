"""Private folders below the system's temporary one, for what memcli unpacks and drafts: gone with the process, or with the
next memcli that writes when the process was killed."""

from __future__ import annotations

import os
import re
import stat

from memcli import settings
from memcli.errors import CannotRead

PREFIX = "memcli-"
NAME = r"memcli-(\d+)-(\d+)-\w+"
"""The pid of the owner and when it was started, then what makes the name unique."""


def private_folder() -> str:
    """A new folder, for us alone, below the system's temporary folder; removed when this process ends.

    Forked workers leave it alone. Raises CannotRead when there is no place for one.
    """
    import tempfile

    try:
        base = tempfile.gettempdir()
        ours = _ours.get((os.getpid(), base), "")
        if not os.path.isdir(ours):
            ours = _ours[os.getpid(), base] = _begin(base)
        return tempfile.mkdtemp(dir=ours)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise CannotRead(f"No temporary folder can be made: {why}. Set TMPDIR to one.", why=why) from error


_ours: dict[tuple[int, str], str] = {}
"""The one folder of this process below each temporary folder, by pid: it holds the others, and its lock is ours."""


def _begin(base: str) -> str:
    import atexit
    import tempfile

    path = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{_born(os.getpid()) or 0}-", dir=base)
    atexit.register(_remove, path, os.getpid())
    fd = os.open(path, _FOLDER)
    try:
        _lock(fd)  # held until the last of our processes ends, whatever numbers others see it by
    except OSError:  # no flock there: then nobody else removes it
        os.close(fd)
    return path


def sweep() -> list[str]:
    """Remove the private folders of this user whose process was killed; their paths. Never raises for what it meets.

    The name says which process it was, and a lock on the folder, held as long as any of that memcli's processes lives, that
    it is gone: a process in another container is not to be seen by its number.
    """
    import tempfile

    base = tempfile.tempdir or settings.temporary_folder()
    try:
        names = [name for name in os.listdir(base) if name.startswith(PREFIX)]
    except OSError:
        return []
    return [path for name in sorted(names) if (path := os.path.join(base, name)) and _swept(path, name)]


def _swept(path: str, name: str) -> bool:
    import shutil

    found = re.fullmatch(NAME, name)
    if not found or _is_alive(int(found[1]), int(found[2])):
        return False
    try:
        fd = os.open(path, _FOLDER)
    except OSError:
        return False
    try:
        status = os.fstat(fd)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            return False
        _lock(fd)
        shutil.rmtree(path, ignore_errors=True)
    except OSError:  # somebody has it, or locks are unknown there
        return False
    finally:
        os.close(fd)
    return not os.path.lexists(path)


def _lock(fd: int) -> None:
    """Raises OSError when another process holds it."""
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_alive(pid: int, born: int) -> bool:
    """Whether the process that had this number is there; where its start is not told, whether any has the number."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    now = _born(pid)
    return now is None or not born or now == born


def _born(pid: int) -> int | None:
    """When a process was started, in clock ticks since the system was (proc(5), field 22); None when that is not told."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def _remove(path: str, owner: int) -> None:
    import shutil

    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
