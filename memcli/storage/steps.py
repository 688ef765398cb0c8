"""The kinds of step that put a whole new content in place, or none, or other permission bits."""

from __future__ import annotations

import os
from collections.abc import Iterable

from memcli.storage import system
from memcli.storage.parts import Mtime, write_part
from memcli.storage.putting_back import hold, put_back, put_back_spare
from memcli.storage.reaching import Place, changed, refused
from memcli.storage.step import Progress, Step, check, exists
from memcli.storage.swapping import Displaced, came_out, give_back, name_new, swap
from memcli.storage.versions import Version


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
            self.old = check(self.place, fd, self.expected())
            self.new = write_part(self.place, self.part, self.pieces, like=fd, mtime=self.mtime, mode=self.mode)
        finally:
            os.close(fd)

    @property
    def unchanged(self) -> bool:
        return self.made().same(self.expected())

    def swap(self) -> None:
        self.displaced = swap(self.place, self.part, self.spare, self.expected(), self.made())

    def revert(self) -> None:
        if self.displaced is None:  # somebody wrote it anew since, and the old content is let go of
            raise changed(self.place.path)
        if self.displaced.name == self.spare:
            put_back_spare(self.place, self.spare, self.made())
        else:
            here = hold(self.place, self.place.name)
            try:
                if here.identity is not None and here.identity[2] == self.made().ino:
                    put_back(self.place, self.part, here._replace(identity=self.made().identity))
            finally:
                if here.fd >= 0:
                    os.close(here.fd)
        self.displaced = None

    def progress(self) -> Progress:
        now, part = self.place.version(), self.place.version(self.part)
        old, new = self.expected(), self.made()
        if part is not None and part.same(new):
            if now is None or not now.same(old):
                return "blocked"
            self.old = now
            return "before"
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
            self.old = check(self.place, fd, self.expected())
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
        if not now.same(self.expected()):
            return "blocked"
        self.old = now
        return "before"

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

    def sync(self) -> None:
        self._sync_file()

    def revert(self) -> None:
        self._set(self.expected().mode)

    def progress(self) -> Progress:
        status = self.place.status()
        return "after" if status is not None and status.st_mode & 0o7777 == self.made().mode else "before"

    def _set(self, mode: int | None) -> None:
        fd = self.place.open()
        try:
            check(self.place, fd, self.expected())
            if mode is not None:
                system.fchmod(fd, mode)
        finally:
            os.close(fd)
