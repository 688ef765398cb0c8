"""Workspaces to be repaired: a damaged chat in its place, planned, carried out, undone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memcli.core import applying, planning, sealing
from memcli.core.applying import Applied
from memcli.core.planning import Blueprint
from memcli.core.wishes import Wishes
from memcli.model import Workspace
from memcli.storage import undo
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
