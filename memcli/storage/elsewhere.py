"""Whether a file may be in use by a process that cannot be seen from here: another machine's, or one outside a container."""

from __future__ import annotations

import os

from memcli.storage import processes

SHARED = (
    "nfs nfs4 cifs smb3 smbfs afs coda ceph glusterfs lustre 9p virtiofs gpfs ocfs2 gfs2 beegfs orangefs vboxsf drvfs "
    "fakeowner osxfs prl_fs"
)
"""File systems that other machines use at the same time."""
LOCAL_FUSE = "fuse.fuse-overlayfs fuse.mergerfs fuse.gocryptfs fuse.encfs fuse.bindfs fuse.securefs fuse.unionfs"
"""File systems of programs are taken for shared ones, such as sshfs, but for these."""
FIRST_NAMESPACE = "pid:[4026531836]"
"""The namespace of all processes of the machine (linux/proc_ns.h, PROC_PID_INIT_INO)."""


def shared(path: str) -> str:
    """Why another machine may use the file at `path`, as a clause; "" where none can, as far as is known."""
    kind = file_system(path)
    if kind in SHARED.split() or (kind.startswith("fuse.") and kind not in LOCAL_FUSE.split()):
        return f"it lies on {kind}, which other machines may use"
    return ""


def unseen(path: str, pid: int | None, since: float) -> str:
    """Why a process that does not run as far as can be seen may use the file at `path` all the same, as a clause; "" where
    none can. `pid` is the number it gave itself, None when not known, `since` when it used the file."""
    if pid is not None and pid > processes.LARGEST:
        return ""
    try:
        namespace = os.readlink(f"{processes.PROC}/self/ns/pid")
    except OSError:
        return "this system does not tell enough of its processes"
    if namespace != FIRST_NAMESPACE and file_system(path) != "overlay":
        return "this is a container, and a process outside of it may use the folder"
    inner = None if pid is None else _contained(pid, since)
    return "" if inner is None else f"in a container here a process has that number ({processes.named(inner)})"


def file_system(path: str) -> str:
    """The kind of file system that a path lies on, such as `ext4`; "" when that is not known here."""
    real = os.path.realpath(path)
    best, kind = -1, ""
    try:
        with open(f"{processes.PROC}/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                before, _, after = line.partition(" - ")
                point = _unescaped(before.split(" ")[4])
                inside = real == point or real.startswith(point.rstrip("/") + "/")
                if inside and len(point) >= best:  # the last of those at one place lies over the others
                    best, kind = len(point), after.split(" ")[0]
    except (OSError, IndexError):
        return ""
    return kind


def _contained(pid: int, since: float) -> int | None:
    """The process that calls itself `pid` in a container, and may have done so at `since`, by its number here."""
    for outer in processes.pids():
        try:
            with open(f"{processes.PROC}/{outer}/status", encoding="ascii", errors="replace") as file:
                numbers = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
        except OSError:
            continue
        if len(numbers) > 1 and numbers[-1] == str(pid) and processes.running(outer, since):
            return outer
    return None


def _unescaped(text: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, char)
    return text
