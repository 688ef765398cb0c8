"""Chats and memory that other users of the machine can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memcli.damage.framework import Class, FileSnapshot, WorkspaceSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "world-readable",
        "others can read it",
        "info",
        "flag",
        looks="The mode of a file lets its group or everybody read or write it, and its folder lets them in. Where all sessions "
        "of a folder are so, the folder is told instead of each.",
        does="Nothing by itself; --fix-perms takes the rights of all but the owner away, from every file.",
        flag="--fix-perms",
    ),
)
KINDS = ("session", "journal", "memory")
OTHERS = 0o077
EFFECT = "Nothing for the agent; other users of the machine can read what was said."


class _Open(NamedTuple):
    """A file that others can read: who, and what they can do."""

    path: str
    mode: int
    who: str
    can: str

    @property
    def severity(self) -> str:
        return "warning" if self.mode & 0o002 else "info"


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """One finding for a plain file that others can read or write; one for all of them where it is every session of a folder."""
    found = _found(snapshot)
    folded = _folded(snapshot, found)
    first = {group[0].path: group for group in folded.values()}
    others = {one.path for group in folded.values() for one in group[1:]}
    for one in found:
        if one.path in first:
            group = first[one.path]
            modes = ", ".join(f"{mode:04o}" for mode in sorted({each.mode for each in group}))
            message = f"{one.who} on this machine can {one.can} {len(group):,} session files in it (mode {modes})."
            data = {"files": len(group), "who": one.who, "can": one.can}
            yield _finding(one, os.path.dirname(one.path), message, data)
        elif one.path not in others:
            message = f"{one.who} on this machine can {one.can} it (mode {one.mode:04o})."
            yield _finding(one, one.path, message, {"mode": f"{one.mode & ~OTHERS:04o}"})


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the rights of all but the owner away."""
    if "mode" in finding.data:
        return [Action("chmod", finding.path, finding.code, finding.data["mode"])]
    group = _folded(snapshot, _found(snapshot))[finding.path, finding.data["who"], finding.data["can"]]
    return [Action("chmod", one.path, finding.code, f"{one.mode & ~OTHERS:04o}") for one in group]


def _found(snapshot: WorkspaceSnapshot) -> list[_Open]:
    return sorted(one for file in snapshot.files if (one := _open(file)))


def _open(file: FileSnapshot) -> _Open | None:
    status = file.status
    if status is None or not stat.S_ISREG(status.st_mode) or file.kind not in KINDS or not file.reachable:
        return None
    mode = stat.S_IMODE(status.st_mode)
    if not mode & 0o066:
        return None
    who, writing = ("Everybody", 0o002) if mode & 0o006 else ("Its group", 0o020)
    return _Open(file.path, mode, who, "read and change" if mode & writing else "read")


def _folded(snapshot: WorkspaceSnapshot, found: Sequence[_Open]) -> dict[tuple[str, str, str], list[_Open]]:
    """Sessions that are told together, by folder and what others can do: where every session of the folder is open."""
    if snapshot.workspace.files:  # they were named one by one
        return {}
    total: dict[str, int] = {}
    for file in snapshot.files:
        if file.kind == "session":
            folder = os.path.dirname(file.path)
            total[folder] = total.get(folder, 0) + 1
    sessions = {file.path for file in snapshot.files if file.kind == "session"}
    groups: dict[tuple[str, str, str], list[_Open]] = {}
    for one in found:
        if one.path in sessions:
            folder = os.path.dirname(one.path)
            total[folder] -= 1
            groups.setdefault((folder, one.who, one.can), []).append(one)
    return {key: group for key, group in groups.items() if not total[key[0]] and len(group) > 1}


def _finding(one: _Open, path: str, message: str, data: dict[str, Any]) -> Finding:
    return CLASSES[0].finding(path, message, severity=one.severity, effect=EFFECT, data=data)
