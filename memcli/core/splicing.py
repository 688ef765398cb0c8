"""A file put together from stretches of others, written beside them and never in their place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memcli.core.sides import Side, line_ended, read


class Stretch(NamedTuple):
    """Bytes of a side, from `start` to `end`; without a side, `data` itself."""

    side: Side | None
    start: int = 0
    end: int = 0
    data: bytes = b""


class Splice:
    """Stretches in order. What goes on from the last one is made one with it."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.size = 0

    def take(self, side: Side, start: int, end: int) -> None:
        """Add bytes of a side."""
        if start >= end:
            return
        last = self.stretches[-1] if self.stretches else None
        if last and last.side is side and last.end == start:
            self.stretches[-1] = last._replace(end=end)
        else:
            self.stretches.append(Stretch(side, start, end))
        self.size += end - start

    def put(self, data: bytes) -> None:
        """Add bytes."""
        if data:
            self.stretches.append(Stretch(None, data=data))
            self.size += len(data)

    def end_line(self) -> None:
        """Add a newline unless one was added last, or nothing yet."""
        last = self.stretches[-1] if self.stretches else None
        if last is None:
            return
        ended = last.data.endswith(b"\n") if last.side is None else line_ended(last.side.fd, last.end)
        if not ended:
            self.put(b"\n")

    def pieces(self) -> Iterator[bytes]:
        """All bytes, piece by piece."""
        for one in self.stretches:
            if one.side is None:
                yield one.data
            else:
                yield from read(one.side.fd, one.start, one.end)

    def write(self) -> str:
        """Write all to a new file in a private folder that is gone when memcli ends; its path."""
        return written(self.pieces())


def written(pieces: Iterable[bytes]) -> str:
    """Write pieces to a new file in a private folder that is gone when memcli ends; its path."""
    from memcli.storage.archive import private_folder

    if not _folder:
        _folder.append(private_folder())
    path = os.path.join(_folder[0], os.urandom(8).hex())
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "wb") as file:
        file.writelines(pieces)
    return path


_folder: list[str] = []
