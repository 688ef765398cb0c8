"""Workspaces to be repaired: a damaged chat in its place, planned, carried out, undone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from memcli.core import applying, planning, sealing
from memcli.core.applying import Applied
from memcli.core.blueprint import Blueprint
from memcli.core.wishes import Wishes
from memcli.model import Workspace
from memcli.storage import undo
from support import repositories
from support.cli import snapshot
from support.mending import Chat

OLD = 10**18 + 7
"""The time of every file that is placed here, in nanoseconds."""


class Place:
    """One workspace with one chat."""

    def __init__(self, folder: Path, chat: Chat, data: bytes) -> None:
        self.root = folder
        self.sessions = folder / "sessions"
        self.sessions.mkdir(parents=True, exist_ok=True)
        self.path = self.sessions / chat.name
        self.workspace = Workspace(chat.agent, str(folder), (str(self.sessions),), era=chat.era, shown=str(folder))
        if not chat.header:  # where its chats are is not told by a folder
            self.workspace = self.workspace._replace(files=(str(self.path),))
        self.put(self.path, data)

    @staticmethod
    def put(path: Path, data: bytes) -> None:
        """Write a file that is old."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, ns=(OLD, OLD))
        path.chmod(0o600)

    def plan(self, *, lossy: bool = False, flags: Mapping[str, str] | None = None, **more: object) -> Blueprint:
        """The plan for the whole workspace."""
        return planning.plan(self.workspace, wishes(lossy, flags, **more))

    def repair(self, *, lossy: bool = False, flags: Mapping[str, str] | None = None, **more: object) -> Applied:
        """Plan it and carry it out."""
        wanted = wishes(lossy, flags, **more)
        return applying.apply(
            planning.plan(self.workspace, wanted), wishes=wanted, command=["memcli", "repair"], idle=0.0
        )

    def undo(self, operation: str | None = None) -> None:
        """Take the newest operation back."""
        undo.undo(sealing.store(self.workspace), operation)

    def quarantined(self) -> bytes:
        """All bytes in quarantine, one operation behind the other."""
        folder = Path(sealing.store(self.workspace).folder) / "quarantine"
        return b"".join(path.read_bytes() for path in sorted(folder.glob("*/bytes")))


def wishes(lossy: bool, flags: Mapping[str, str] | None, **more: object) -> Wishes:
    """What repair is asked for."""
    return Wishes(lossy=lossy, flags=flags or {})._replace(**more)


def built(root: Path, folder: Path) -> None:
    """Make what setup.json of a case lists: see tests/damage/test_surroundings_cases.py."""
    for one in json.loads((folder / "setup.json").read_text("utf-8")):
        path = root / one["path"]
        if "commit" in one:
            repositories.commit(path, one["commit"])
            continue
        if "remove" in one:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if "symlink" in one:
            path.symlink_to(one["symlink"])
            continue
        if "fifo" in one:
            os.mkfifo(path)
        elif "hardlink" in one:
            os.link(root / one["hardlink"], path)
        else:
            path.write_bytes(bytes.fromhex(one["hex"]) if "hex" in one else one["text"].encode())
        path.chmod(int(one.get("mode", "600"), 8))
        when = time.time() - one.get("age", 1000)
        os.utime(path, (when, when))


def inside(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: mode, time and content; inodes may differ."""
    return {path: (seen[0], seen[2], seen[4]) for path, seen in snapshot(root).items() if not os.path.isdir(path)}
