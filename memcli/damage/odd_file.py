"""Files that are no plain file of the user's own: memcli reads what it can and refuses to write."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from memcli.damage.framework import Class, FileSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "file"
CLASSES = (
    Class(
        "odd-file",
        "not a plain file of one's own",
        "warning",
        "report",
        looks="A link that leads out of the workspace or nowhere, a second name of one file, a FIFO, a device, a folder.",
        does="Nothing, and refuses to write to it.",
    ),
)
WAITS = "A program that opens it for reading waits until something is written to it."
KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)


def detect(snapshot: FileSnapshot) -> Iterator[Finding]:
    """At most one finding, for the oddest thing."""
    status, target = snapshot.status, snapshot.target
    if status is None:
        return
    severity, message = "warning", ""
    if stat.S_ISLNK(status.st_mode):
        if target is None:
            message = "It is a symbolic link that leads nowhere."
        elif not snapshot.inside:
            message = "It is a symbolic link that leads out of the workspace."
    mode = (target or status).st_mode
    if not message:
        kind = next((word for test, word in KINDS if test(mode)), "")
        if kind and not (snapshot.kind == "leftover" and kind == "a folder"):
            severity, message = "error", f"It is {kind}, where a file should be."
        elif stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            message = f"The file has {status.st_nlink} names: to replace it would part them."
        elif snapshot.user and status.st_uid != snapshot.user:
            message = f"It belongs to another user (uid {status.st_uid})."
        elif stat.S_ISLNK(status.st_mode):
            severity, message = "info", "It is a symbolic link inside the workspace."
    if message:
        effect = WAITS if stat.S_ISFIFO(mode) else ""
        yield CLASSES[0].finding(snapshot.path, message, severity=severity, effect=effect)


def mend(snapshot: FileSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []
