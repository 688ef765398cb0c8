"""One change to one file, in phases, so that many can be carried out as one.

prepare (the new content beside the file), swap (into its place), then finish (what was displaced goes), or revert.
After a kill `progress` tells from the files alone how far a step came.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Literal

from memcli.errors import RefusedForSafety
from memcli.storage import system
from memcli.storage.leases import has_writer
from memcli.storage.parts import drop, part_name, spare_name
from memcli.storage.reaching import Place, changed
from memcli.storage.swapping import Displaced
from memcli.storage.versions import Version, version_of

Progress = Literal["before", "after", "raced", "overwritten", "blocked", "lost"]
"""How far an interrupted step came: the file is old; new; new, but what was displaced is somebody else's; written
anew by somebody after the step was done; written anew before it; both the file and what was displaced are
somebody's."""


class Step(ABC):
    """One change. `old` and `new` are the versions before and after, None where there is no file; `new` is known once
    it is prepared. `token` makes the names of its parts."""

    kind = ""
    late = False
    """Whether it waits until the others are done and stand: then it must not fail."""

    def __init__(self, place: Place, token: str, old: Version | None, new: Version | None = None) -> None:
        self.place = place
        self.token = token
        self.old = old
        self.new = new
        self.part = part_name(token)
        self.spare = spare_name(token)
        self.displaced: Displaced | None = None

    @abstractmethod
    def prepare(self) -> None:
        """Make everything ready; nothing that an agent sees has changed. Raises RefusedForSafety when the file is not
        `old` any more."""

    @abstractmethod
    def swap(self) -> None:
        """Change the file. Raises RefusedForSafety when somebody else was faster; then it is as they left it."""

    def sync(self) -> None:
        """Have on the disk what swap wrote into the file itself. Raises OSError."""
        return  # a new file that took the old one's place was on the disk before

    def settled(self) -> bool:
        """Whether what was displaced is still what came out, and nobody has it open to write more."""
        if self.displaced is None:
            return True
        fd = self.place.open(self.displaced.name)
        try:
            return self.displaced.version.stands(os.fstat(fd)) and not (self.displaced.leases and has_writer(fd))
        finally:
            os.close(fd)

    @abstractmethod
    def revert(self) -> None:
        """Take a swap back."""

    def finish(self) -> None:
        """Let go of what was displaced."""
        for name in (self.part, self.spare):
            if self.place.status(name) is not None:
                system.unlink(name, self.place.folder)

    def discard(self) -> None:
        """Let go of what was prepared and not swapped."""
        drop(self.place, self.part)
        drop(self.place, self.spare)

    @abstractmethod
    def progress(self) -> Progress:
        """How far the step came before memcli was interrupted; sets `displaced`, so that revert and finish work."""

    @property
    def unchanged(self) -> bool:
        """Whether the prepared content is the old one, so that there is nothing to do."""
        return False

    def _sync_file(self) -> None:
        fd = self.place.open()
        try:
            system.fsync(fd)
        finally:
            os.close(fd)

    @property
    def displaced_by_others(self) -> bool:
        """Whether what is displaced is not the old content."""
        return self.displaced is not None and self.old is not None and not self.displaced.version.same(self.old)

    def expected(self) -> Version:
        """The version that the file must have."""
        assert self.old is not None
        return self.old

    def made(self) -> Version:
        """The version that the step gives the file."""
        assert self.new is not None
        return self.new


def exists(place: Place) -> RefusedForSafety:
    """The refusal to write a new file over one that is there."""
    return RefusedForSafety(f"{place.path} exists already; it was left as it is.", path=place.path, why="exists")


def check(place: Place, fd: int, expected: Version) -> Version:
    """The version of the open file, which must have the expected bytes (RefusedForSafety)."""
    if expected.stands(os.fstat(fd)):
        return expected
    now = version_of(fd)
    if not now.same(expected):
        raise changed(place.path)
    return now
