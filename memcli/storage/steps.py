"""The kinds of change to one file, each in the same phases, so that many can be carried out as one.

prepare (the new content beside the file), swap (into its place), then finish (what was displaced goes), or revert.
After a kill `progress` tells from the files alone how far a step came.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

from memcli.errors import RefusedForSafety
from memcli.storage import system
from memcli.storage.parts import Mtime, drop, part_name, spare_name, write_part
from memcli.storage.reaching import Place, changed, refused
from memcli.storage.swapping import Displaced, came_out, give_back, name_new, put_back, put_back_spare, swap
from memcli.storage.versions import Version, version_of

Progress = Literal["before", "after", "raced", "overwritten", "blocked", "lost"]
"""How far an interrupted step came: the file is old; new; new, but what was displaced is somebody else's; written
anew by somebody after the step was done; written anew before it; both the file and what was displaced are
somebody's."""


class Step:
    """One change. `old` and `new` are the versions before and after, None where there is no file; `new` is known once
    it is prepared. `token` makes the names of its parts."""

    kind = ""

    def __init__(self, place: Place, token: str, old: Version | None, new: Version | None = None) -> None:
        self.place = place
        self.token = token
        self.old = old
        self.new = new
        self.part = part_name(token)
        self.spare = spare_name(token)
        self.displaced: Displaced | None = None

    def prepare(self) -> None:
        """Make everything ready; nothing that an agent sees has changed. Raises RefusedForSafety when the file is not
        `old` any more."""

    def swap(self) -> None:
        """Change the file. Raises RefusedForSafety when somebody else was faster; then it is as they left it."""
        raise NotImplementedError

    def settled(self) -> bool:
        """Whether what was displaced is still what came out: a writer may have had it open all the time."""
        if self.displaced is None:
            return True
        now = self.place.status(self.displaced.name)
        return now is not None and self.displaced.version.stands(now)

    def revert(self) -> None:
        """Take a swap back."""
        raise NotImplementedError

    def finish(self) -> None:
        """Let go of what was displaced."""
        for name in (self.part, self.spare):
            if self.place.status(name) is not None:
                system.unlink(name, self.place.folder)

    def discard(self) -> None:
        """Let go of what was prepared and not swapped."""
        drop(self.place, self.part)
        drop(self.place, self.spare)

    def progress(self) -> Progress:
        """How far the step came before memcli was interrupted; sets `displaced`, so that revert and finish work."""
        raise NotImplementedError

    @property
    def unchanged(self) -> bool:
        """Whether the prepared content is the old one, so that there is nothing to do."""
        return False

    def expected(self) -> Version:
        """The version that the file must have."""
        assert self.old is not None
        return self.old

    def made(self) -> Version:
        """The version that the step gives the file."""
        assert self.new is not None
        return self.new


class Rewrite(Step):
    """New content in the place of old."""

    kind = "rewrite"

    def __init__(
        self,
        place: Place,
        token: str,
        old: Version,
        new: Version | None = None,
        *,
        pieces: bytes | Iterable[bytes] = b"",
        mtime: Mtime = "now",
        mode: int | None = None,
    ) -> None:
        super().__init__(place, token, old, new)
        self.pieces, self.mtime, self.mode = pieces, mtime, mode

    def prepare(self) -> None:
        fd = self.place.open_to_change()
        try:
            _check(self.place, fd, self.expected())
            self.new = write_part(self.place, self.part, self.pieces, like=fd, mtime=self.mtime, mode=self.mode)
        finally:
            os.close(fd)

    @property
    def unchanged(self) -> bool:
        return self.made().same(self.expected())

    def swap(self) -> None:
        self.displaced = swap(self.place, self.part, self.spare, self.expected(), self.made())

    def revert(self) -> None:
        assert self.displaced is not None
        back = put_back if self.displaced.name == self.part else put_back_spare
        back(self.place, self.displaced.name, self.made())
        self.displaced = None

    def progress(self) -> Progress:
        now, part = self.place.version(), self.place.version(self.part)
        old, new = self.expected(), self.made()
        if part is not None and part.same(new):
            return "before" if now is not None and now.same(old) else "blocked"
        name = self.part if part is not None else self.spare
        out = part or self.place.version(self.spare)
        if out is None:  # what is displaced goes only when every step is done
            if now is not None and now.same(old):
                return "blocked"  # the part is gone: there is nothing to swap
            return "after" if now is not None and now.same(new) else "overwritten"
        self.displaced = Displaced(name, out)
        if out.same(old):
            return "after" if now is not None and now.same(new) else "overwritten"
        return "raced" if now is not None and now.same(new) else "lost"


class Create(Step):
    """A file where there was none."""

    kind = "create"

    def __init__(
        self,
        place: Place,
        token: str,
        new: Version | None = None,
        *,
        pieces: bytes | Iterable[bytes] = b"",
        mtime: Mtime = "now",
        mode: int = 0o600,
    ) -> None:
        super().__init__(place, token, None, new)
        self.pieces, self.mtime, self.mode = pieces, mtime, mode

    def prepare(self) -> None:
        if self.place.status() is not None:
            raise exists(self.place)
        self.new = write_part(self.place, self.part, self.pieces, like=None, mtime=self.mtime, mode=self.mode)

    def swap(self) -> None:
        try:
            name_new(self.place, self.part)
        except FileExistsError as error:
            raise exists(self.place) from error

    def revert(self) -> None:
        system.rename(self.place.name, self.spare, self.place.folder)
        out = self.place.version(self.spare)
        if out is None or not out.same(self.made()):
            give_back(self.place, self.spare)

    def progress(self) -> Progress:
        now, part = self.place.version(), self.place.version(self.part)
        if now is not None and now.same(self.made()):
            return "after"
        if part is not None:
            return "before" if self.place.status() is None else "blocked"
        return "blocked" if now is None else "overwritten"


class Remove(Step):
    """No file where there was one."""

    kind = "remove"

    def prepare(self) -> None:
        fd = self.place.open_to_change()
        try:
            _check(self.place, fd, self.expected())
        finally:
            os.close(fd)

    def swap(self) -> None:
        try:
            system.rename(self.place.name, self.spare, self.place.folder)
        except FileNotFoundError as error:
            raise changed(self.place.path, "was removed after it was read") from error
        out = came_out(self.place, self.spare, self.expected())
        if out is None:
            self._give_back()
            raise changed(self.place.path)
        self.displaced = Displaced(self.spare, out)

    def revert(self) -> None:
        give_back(self.place, self.spare)
        self.displaced = None

    def progress(self) -> Progress:
        out = self.place.version(self.spare)
        if out is not None:
            self.displaced = Displaced(self.spare, out)
            return "after" if out.same(self.expected()) else "raced"
        now = self.place.version()
        if now is None:
            return "after"
        return "before" if now.same(self.expected()) else "blocked"

    def _give_back(self) -> None:
        try:
            give_back(self.place, self.spare)
        except OSError as error:
            raise refused(self.place.path, error, in_place=True) from error


class Chmod(Step):
    """Other permission bits on the same content; `new` is given."""

    kind = "chmod"

    def prepare(self) -> None:
        self._set(None)

    def swap(self) -> None:
        self._set(self.made().mode)

    def revert(self) -> None:
        self._set(self.expected().mode)

    def progress(self) -> Progress:
        status = self.place.status()
        return "after" if status is not None and status.st_mode & 0o7777 == self.made().mode else "before"

    def _set(self, mode: int | None) -> None:
        fd = self.place.open()
        try:
            _check(self.place, fd, self.expected())
            if mode is not None:
                system.fchmod(fd, mode)
        finally:
            os.close(fd)


def exists(place: Place) -> RefusedForSafety:
    """The refusal to write a new file over one that is there."""
    return RefusedForSafety(f"{place.path} exists already; it was left as it is.", path=place.path, why="exists")


def _check(place: Place, fd: int, expected: Version) -> None:
    if not expected.stands(os.fstat(fd)) and not version_of(fd).same(expected):
        raise changed(place.path)
