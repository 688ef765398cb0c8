"""Seals: hashes of a file's lines kept in the state folder, so that a change nobody made knowingly can be seen later.

A seal is one JSON line (path, size, SHA-256 of the whole, time, how many leading lines are headers) and then, for each line
that is not blank, its CRC-32 (4 bytes) and its SHA-256 (32 bytes). Nothing is ever added to the sealed file itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import crc32

from memcli.storage import state
from memcli.storage.lines import forward, is_blank
from memcli.storage.state import Store

WIDTH = 36
"""Bytes a line takes in a seal."""
_CRC = 4
MOST = 1000
"""So many changed lines are named."""


class Sealed(NamedTuple):
    """What `seal` wrote for one file."""

    path: str
    lines: int
    size: int


class Compared(NamedTuple):
    """A file beside its seal: rows dropped at the front, rows added at the end, sealed rows that are nowhere any more, and
    the numbers of the lines that stand among the sealed rows without having been sealed. Headers are not compared: agents
    change them with every message."""

    sealed_at: str
    trimmed: int = 0
    appended: int = 0
    gone: int = 0
    changed: tuple[int, ...] = ()


def seal(store: Store, path: str, fd: int, headers: int) -> Sealed:
    """Write the seal of the file open as `fd`, over an older one. `headers` is how many leading lines are headers.

    Raises CannotWrite when the state folder cannot be written.
    """
    import json
    import time

    folder = state.place(store, "seals")
    lines = bytearray()
    size = os.fstat(fd).st_size
    whole = sha256()
    number = 0
    for line in forward(fd, end=size):
        raw = line.raw or b""
        whole.update(raw + b"\n" * line.ended)
        if not is_blank(raw):
            number += 1
            lines += crc32(raw).to_bytes(_CRC, "big") + sha256(raw).digest()
    about = {
        "path": path,
        "size": size,
        "sha256": whole.hexdigest(),
        "sealed_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time())),
        "headers": headers,
        "lines": number,
    }
    head = json.dumps(about).encode() + b"\n"
    with state.telling(folder):
        state.write_file(_place(store, path), head + lines)
    return Sealed(path, number, size)


def exist(store: Store) -> bool:
    """Whether anything of the workspace is sealed."""
    return os.path.isdir(os.path.join(store.folder, "seals"))


def compare(store: Store, path: str, fd: int, headers: int) -> Compared | None:
    """The file open as `fd` beside its seal; None when it was not sealed or the seal cannot be read."""
    found = _read(store, path)
    if found is None:
        return None
    about, sealed = found
    rows = len(sealed) // WIDTH
    first = min(int(about["headers"]), rows)
    hashes = _hashes(fd, headers)
    place = first
    trimmed = 0
    for index, (number, digest) in enumerate(hashes):
        if index == 0 and _at(sealed, place) != digest:
            at = _find(sealed, digest, place)
            trimmed = at - place if at >= 0 else 0
            place += trimmed
        if place >= rows or _at(sealed, place) != digest:
            rest = [(number, digest), *hashes]
            return _differing(str(about["sealed_at"]), sealed, place, rest, trimmed)
        place += 1
    return Compared(str(about["sealed_at"]), trimmed, 0, rows - place)


def _differing(sealed_at: str, sealed: bytes, place: int, rest: list[tuple[int, bytes]], trimmed: int) -> Compared:
    """The rest of a comparison, from the first line on that is not the one that was sealed there."""
    left = {_at(sealed, index): None for index in range(place, len(sealed) // WIDTH)}
    if not left:
        return Compared(sealed_at, trimmed, len(rest))
    there = {digest for _, digest in rest}
    gone = sum(1 for digest in left if digest not in there)
    last = max((index for index, (_, digest) in enumerate(rest) if digest in left), default=-1)
    inside = [number for number, digest in rest[: last + 1] if digest not in left]
    behind = len(rest) - last - 1
    if gone and last < 0:  # nothing of what was sealed is left from here on: as many lines stand in its place
        inside = [number for number, _ in rest[:gone]]
        behind = max(0, len(rest) - gone)
    elif gone > len(inside):  # sealed rows at the end were replaced
        more = min(gone - len(inside), behind)
        inside += [number for number, _ in rest[last + 1 : last + 1 + more]]
        behind -= more
    return Compared(sealed_at, trimmed, behind, gone, tuple(inside[:MOST]))


def _hashes(fd: int, headers: int) -> Iterator[tuple[int, bytes]]:
    """(line number, SHA-256) of every line that is neither blank nor one of the leading headers."""
    for line in forward(fd, end=os.fstat(fd).st_size):
        raw = line.raw or b""
        if is_blank(raw):
            continue
        if headers:
            headers -= 1
            continue
        yield line.number, sha256(raw).digest()


def _at(sealed: bytes, index: int) -> bytes:
    return sealed[index * WIDTH + _CRC : (index + 1) * WIDTH]


def _find(sealed: bytes, digest: bytes, place: int) -> int:
    """Where a digest stands among the sealed ones, -1 when nowhere."""
    at = sealed.find(digest, place * WIDTH)
    while at >= 0 and (at - _CRC) % WIDTH:
        at = sealed.find(digest, at + 1)
    return (at - _CRC) // WIDTH if at >= 0 else -1


def _place(store: Store, path: str) -> str:
    name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return os.path.join(store.folder, "seals", name)


def _read(store: Store, path: str) -> tuple[dict[str, Any], bytes] | None:
    import json

    try:
        with open(_place(store, path), "rb") as file:
            about = json.loads(file.readline())
            lines = file.read()
        return (about, lines) if len(lines) == about["lines"] * WIDTH and about["headers"] >= 0 else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
