"""Chats and memory that other users of the machine can read."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from memcli.damage.framework import Class, FileSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "file"
CLASSES = (
    Class(
        "world-readable",
        "others can read it",
        "info",
        "flag",
        looks="The mode of a file lets its group or everybody read or write it, and its folder lets them in.",
        does="Nothing by itself; --fix-perms takes the rights of all but the owner away.",
        flag="--fix-perms",
    ),
)
KINDS = ("session", "journal", "memory")
OTHERS = 0o077
EFFECT = "Nothing for the agent; other users of the machine can read what was said."


def detect(snapshot: FileSnapshot) -> Iterator[Finding]:
    """One finding for a plain file that others can read or write."""
    status = snapshot.status
    if status is None or not stat.S_ISREG(status.st_mode) or snapshot.kind not in KINDS or not snapshot.reachable:
        return
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o066:
        who, writing = ("Everybody", 0o002) if mode & 0o006 else ("Its group", 0o020)
        what = "read and change" if mode & writing else "read"
        message = f"{who} on this machine can {what} it (mode {mode:04o})."
        severity = "warning" if mode & 0o002 else "info"
        data = {"mode": f"{mode & ~OTHERS:04o}"}
        yield CLASSES[0].finding(snapshot.path, message, severity=severity, effect=EFFECT, data=data)


def mend(snapshot: FileSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the rights of all but the owner away."""
    return [Action("chmod", snapshot.path, finding.code, finding.data["mode"])]
