"""How many rows each session of a workspace has, and what its beginning tells: counted once, then known by size and time.

What was counted is kept in the cache folder, one file for each workspace. A cache that cannot be read, is damaged or cannot be
written is as good as none; any number of processes may use it at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memcli import settings
from memcli.core import listing, states
from memcli.core.rows import preamble
from memcli.core.sharing import share
from memcli.core.states import Marks
from memcli.formats import load, rules
from memcli.model import NOTHING, Header, SessionRef, Workspace
from memcli.storage.decode import decode
from memcli.storage.lines import count, is_blank, room
from memcli.storage.reading import FLAGS

FOLDER = "counts"
MAGIC = b"memcli counts 1 "
HEAD = 64 << 10
"""Bytes in which a header is looked for before the file is read line by line."""
RACE = 2.0
"""Seconds after a change during which another one may leave size and time as they are: such counts are not kept."""
OPENING = 32 << 10
"""Opening a file costs about as much as counting so many bytes, when work is parted."""


class Count(NamedTuple):
    """One session file: `size` and `time` (nanoseconds) as it was counted; -1 `rows` for one that cannot be read. `changed` is
    the time in seconds. `key` is the one in its header, else the one that its name tells."""

    path: str
    size: int
    time: int
    rows: int
    key: str
    marks: Marks

    @property
    def changed(self) -> float:
        """When the file was changed last, in epoch seconds: nothing in it is younger."""
        return self.time / 1e9


def counts(workspace: Workspace, now: float) -> list[Count]:
    """Every session of a workspace, in no particular order. Raises nothing for what stands at its paths."""
    path = _path(workspace)
    known = _load(path)
    found: dict[str, Count] = {}
    missing: list[tuple[str, int]] = []
    for session in listing.paths(workspace):
        try:
            status = os.stat(session)
        except OSError:
            missing.append((session, 0))
            continue
        one = known.get(session)
        if one is not None and (one.size, one.time) == (status.st_size, status.st_mtime_ns):
            found[session] = one
        else:
            missing.append((session, status.st_size))
    if missing:
        work = _Work(workspace)
        done = share([name for name, _ in missing], [size + OPENING for _, size in missing], work)
        found.update((one[0], _made(one)) for one in done)
    kept = [one for one in found.values() if one.rows >= 0 and not -RACE < now - one.changed < RACE]
    if missing or len(kept) < len(known):
        _keep(path, kept)
    return list(found.values())


def reference(count: Count, workspace: Workspace) -> SessionRef:
    """Where a counted session is."""
    return SessionRef(workspace.agent, count.key, count.path, listing.shown(workspace, count.path), workspace)


class _Work:
    """Counts one file after the other, with one buffer."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.form = load(workspace.agent)
        needs = rules(workspace.agent).header_rules(workspace.era)
        self.last_wins = bool(needs and needs.last_wins)
        self.marks = states.marker(workspace.agent, workspace.era)
        self.buffer = room()

    def __call__(self, path: str) -> tuple[Any, ...]:
        try:
            fd = os.open(path, FLAGS)
        except OSError:
            return self._unread(path)
        try:
            status = os.fstat(fd)
            if status.st_mode & 0o170000 != 0o100000:
                return self._unread(path)
            return self._count(fd, path, status.st_size, status.st_mtime_ns)
        except OSError:
            return self._unread(path)
        finally:
            os.close(fd)

    def _unread(self, path: str) -> tuple[Any, ...]:
        return (path, 0, 0, -1, self.form.layout.key_of(self.workspace, path), tuple(Marks()))

    def _count(self, fd: int, path: str, size: int, time: int) -> tuple[Any, ...]:
        head = os.pread(fd, HEAD, 0)
        found = self._beginning(head, size)
        if found is None:  # a long line
            header, first = states.beginning(fd, self.workspace.agent, self.workspace.era)
            found = preamble(fd, self.form).headers, header, first, self.form.records.header(header)
        headers, header, first, told = found
        counted = count(fd, size, buffer=self.buffer)
        ended = not size or (head[-1:] if size <= len(head) else os.pread(fd, 1, size - 1)) == b"\n"
        rows = counted.newlines - counted.blanks - headers + (not ended)
        key = (told.key if told is not None else "") or self.form.layout.key_of(self.workspace, path)
        return (path, size, time, rows, key, tuple(self.marks(header, rows, first)))

    def _beginning(self, head: bytes, size: int) -> tuple[int, Mapping[str, Any], Any, Header | None] | None:
        """How many header rows there are, the header that counts, and the first record; None where that is not in `head`."""
        header: Mapping[str, Any] = NOTHING
        counts: Header | None = None
        headers = start = 0
        records = self.form.records
        while start < len(head):
            stop = head.find(b"\n", start)
            if stop < 0 and size > len(head):
                return None
            raw = head[start : stop if stop >= 0 else len(head)]
            start += len(raw) + 1
            if is_blank(raw):
                continue
            values = decode(raw).values
            told = records.header(values[0]) if len(values) == 1 else None
            if told is None and (len(values) != 1 or not records.is_preamble(values[0])):
                return headers, header, values[0] if values else None, counts
            headers += 1
            if told is not None and (counts is None or self.last_wins):
                header, counts = values[0], told
        return headers, header, None, counts


def _path(workspace: Workspace) -> str:
    from hashlib import sha256

    what = "\0".join((workspace.agent, workspace.era, os.path.realpath(workspace.root), *workspace.files))
    return os.path.join(settings.cache_folder(), FOLDER, sha256(os.fsencode(what)).hexdigest()[:16])


def _load(path: str) -> dict[str, Count]:
    import marshal
    from zlib import crc32

    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return {}
    head = len(MAGIC) + 4
    body = data[head:]
    if not data.startswith(MAGIC) or data[len(MAGIC) : head] != crc32(body).to_bytes(4, "little"):
        return {}
    try:
        return {one[0]: _made(one) for one in marshal.loads(body)}
    except (ValueError, EOFError, TypeError):  # another version of Python wrote it
        return {}


def _keep(path: str, found: Iterable[Count]) -> None:
    """Write the cache anew; left alone where that cannot be done."""
    import marshal
    from tempfile import mkstemp
    from zlib import crc32

    body = marshal.dumps([(*one[:-1], tuple(one.marks)) for one in found])
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        fd, temporary = mkstemp(dir=os.path.dirname(path))
        try:
            with open(fd, "wb") as file:
                file.write(b"".join((MAGIC, crc32(body).to_bytes(4, "little"), body)))
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
    except OSError:
        pass  # no space, no permission, a file where the folder should be: the counts are right anyway


def _made(values: Sequence[Any]) -> Count:
    path, size, time, rows, key, marks = values
    return Count(path, size, time, rows, key, Marks(*marks))
