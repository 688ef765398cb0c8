"""The index of a work tree after a commit: our files as the commit has them, all else as it was staged.

The new index is written whole beside the old one and gets the name by which every git locks it, so that no other one works
in it until the branch is moved; then it takes the old one's place. After a kill the second name tells that the lock is ours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.errors import CannotWrite
from memcli.storage import state, system
from memcli.storage.git_keep import LOCK, Keep
from memcli.storage.git_process import output
from memcli.storage.git_writing import Held, drop_scratch, update_index
from memcli.storage.parts import part_name
from memcli.storage.reaching import Place
from memcli.storage.versions import Identity, identity


class Index:
    """The index at `place`, and the one that is to follow it. `scratch` is a path in memcli's own folder."""

    def __init__(self, keep: Keep, place: Place, scratch: str, token: str) -> None:
        self._keep, self._place, self._scratch = keep, place, scratch
        self._part = part_name(token)
        self._seen: Identity | None = None

    def make(self, files: Sequence[Held]) -> bool:
        """Make the index in which `files` are as they are after the commit; False when there is nothing to do. What somebody
        staged, and is in no file, stays staged."""
        self.drop()
        self._copy()
        staged = self._staged([one.name for one in files])
        wanted = {}
        for one in files:
            now = staged.get(one.name, "")
            if now != one.after and (now in (one.before, one.hand) or (not one.before and _is_empty(now))):
                wanted[one.name] = one.after
        if wanted:
            update_index(self._keep, self._scratch, wanted)
            self._write()
        drop_scratch(self._scratch)
        return bool(wanted)

    def lock(self) -> bool:
        """Keep every other git from the index; False when one is at work in it, or was since `make`."""
        try:
            system.link(self._part, LOCK, self._place.folder)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno in system.NO_LINK:
                raise CannotWrite("no hard links", why="its file system has no hard links") from error
            raise
        now = self._place.status()
        if (None if now is None else identity(now)) == self._seen:
            return True
        self.release()
        return False

    def put(self) -> None:
        """Let the new index, if it is locked, take the place of the old one."""
        if self._is_ours():
            system.rename(LOCK, self._place.name, self._place.folder)
            system.fsync(self._place.folder)

    def release(self) -> None:
        """Give up the lock, if it is ours."""
        if self._is_ours():
            system.unlink(LOCK, self._place.folder)

    def drop(self) -> None:
        """Leave nothing but the index itself. Raises OSError."""
        self.release()
        drop_scratch(self._scratch)
        if self._place.status(self._part) is not None:
            system.unlink(self._part, self._place.folder)

    def _is_ours(self) -> bool:
        lock, part = self._place.status(LOCK), self._place.status(self._part)
        return lock is not None and part is not None and os.path.samestat(lock, part)

    def _copy(self) -> None:
        """A copy of the index for git to change; the time goes with it, by which git knows entries that it must look at."""
        status = self._place.status()
        self._seen = None if status is None else identity(status)
        if status is None:
            return
        source = self._place.open()
        try:
            fd = state.new_file(self._scratch)
            try:
                system.copy_rest(source, fd)
                system.utime(fd, status.st_atime_ns, status.st_mtime_ns)
            finally:
                os.close(fd)
        finally:
            os.close(source)

    def _staged(self, names: Sequence[str]) -> dict[str, str]:
        if self._seen is None:
            return {}
        words = ["ls-files", "--stage", "-z", "--", *names]
        found: dict[str, str] = {}
        for entry in output(self._keep.folder, words, extra={"GIT_INDEX_FILE": self._scratch}).split(b"\0"):
            about, tab, name = entry.partition(b"\t")
            if tab:
                mode, id, stage = about.decode().split()
                found[os.fsdecode(name)] = f"{mode} {id}" if stage == "0" else "unmerged"
        return found

    def _write(self) -> None:
        with open(self._scratch, "rb") as file:
            data = file.read()
        fd = system.create(self._part, 0o666, self._place.folder)
        try:
            status = self._place.status()
            if status is not None:
                system.fchmod(fd, status.st_mode & 0o7777)
            system.write_all(fd, data)
            system.fsync(fd)
        finally:
            os.close(fd)


def _is_empty(entry: str) -> bool:
    """Whether it is the entry of a file without content, as `git add -N` makes it."""
    return entry.partition(" ")[2] in _NOTHING


_NOTHING = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
