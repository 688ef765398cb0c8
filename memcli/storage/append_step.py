"""The kind of step that adds one line to a file."""

from __future__ import annotations

import os

from memcli.storage import system
from memcli.storage.append import append_at, find
from memcli.storage.reaching import Place, changed
from memcli.storage.step import Progress, Step
from memcli.storage.versions import Version


class Append(Step):
    """One more line; `offset` is where the file ended before."""

    kind = "append"

    def __init__(self, place: Place, token: str, line: bytes, new: Version | None = None, *, offset: int = 0) -> None:
        super().__init__(place, token, None, new)
        self.line, self.offset = line, offset

    def prepare(self) -> None:
        from hashlib import sha256

        fd = self.place.open()
        try:
            self.offset = os.fstat(fd).st_size
        finally:
            os.close(fd)
        self.new = Version(len(self.line), 0, 0, 0, sha256(self.line).hexdigest(), 0)

    def swap(self) -> None:
        self._cut_off(torn=True)
        append_at(self.place, self.line[:-1], sync=False)

    def sync(self) -> None:
        self._sync_file()

    def revert(self) -> None:
        if not self._cut_off(torn=False):
            raise changed(self.place.path, "got more lines")

    def finish(self) -> None:
        pass

    def discard(self) -> None:
        pass

    def progress(self) -> Progress:
        fd = self.place.open()
        try:
            if os.fstat(fd).st_size < self.offset:
                return "overwritten"
            found = find(fd, self.line, self.offset)
        finally:
            os.close(fd)
        return "before" if found is None else "after"

    def _cut_off(self, *, torn: bool) -> bool:
        """Cut off the line that begins at `offset`, or what an interrupted write left of it; False when the file does
        not end so."""
        fd = system.open_to_append(self.place.name, self.place.folder)
        try:
            tail = os.pread(fd, len(self.line) + 2, self.offset)
            whole = (self.line, b"\n" + self.line)
            ours = bool(tail) and any(one.startswith(tail) and (tail != one if torn else tail == one) for one in whole)
            if ours:
                system.ftruncate(fd, self.offset)
            return ours
        finally:
            os.close(fd)
