"""Rows that were taken out of sessions, gzipped and byte for byte as they stood, in memcli's own state (place `archive`).

Each session has a folder, its series; each operation adds a file to it, so that undo takes exactly that away. A file is a row of
gzip members of at most BLOCK bytes of lines, which `zcat` reads as one text; a comment in the header of each says, as JSON, whose
rows they are and which. Of a damaged file what is whole is read, and the rest is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.errors import CannotRead
from memcli.model import Line
from memcli.storage import state
from memcli.storage.decode import decode
from memcli.storage.lines import MAX_LINE, is_blank
from memcli.storage.reading import open_regular
from memcli.storage.state import Store

if TYPE_CHECKING:  # who only reads has no use for all that writes
    from memcli.storage.operation import Operation

PLACE = "archive"
BLOCK = 1 << 20
"""Bytes of lines in one gzip member: all that is in memory, and the most that one damaged byte costs."""
COMMENT = 64 << 10
"""A comment is no longer."""
PIECE = 64 << 10
SUFFIX = ".jsonl.gz"
NAME = re.compile(r"(\d{6,})-[\w-]+\.jsonl\.gz", re.ASCII)


class Removed(NamedTuple):
    """Rows that are taken out: `rows` of them, of the session with the key `session` whose file is `path`, at the time `at` (in
    ISO). `first` is the number of the first, counted over all that ever went to the archive; `add` gives it."""

    session: str
    agent: str
    path: str
    rows: int
    at: str
    first: int = 1


class Member(NamedTuple):
    """One file of a series. `removed` is None where its beginning is damaged; `operation` is the id that `undo` takes."""

    path: str
    number: int
    operation: str
    removed: Removed | None


class Series(NamedTuple):
    """All that was taken out of one session, oldest first. `session`, `agent` and `origin`, the session's file, are those that
    the newest readable file tells, "" where none does."""

    folder: str
    session: str
    agent: str
    origin: str
    members: tuple[Member, ...]

    @property
    def rows(self) -> int:
        """How many rows there are, those in damaged files as far as these still tell."""
        return sum(one.removed.rows for one in self.members if one.removed)

    @property
    def since(self) -> str:
        """When the first of them were taken out, "" where that is not known."""
        return next((one.removed.at for one in self.members if one.removed), "")


class Archived(NamedTuple):
    """One line: `row` is its number in the archive, 0 for a blank line; `offset` of `line` counts in all lines of the series."""

    row: int
    line: Line


class Broken(NamedTuple):
    """A damaged place: the file, from which row on (0: unknown), and why, as a clause."""

    path: str
    row: int
    why: str

    @property
    def sentence(self) -> str:
        """What is missing."""
        where = f" from row {self.row} on" if self.row else ""
        return f"{self.path} is damaged{where}: {self.why}; what is whole was read."


def add(operation: Operation, store: Store, removed: Removed, pieces: Iterable[bytes]) -> str:
    """Put the lines that `pieces` are together, whole lines with their ends, into the archive, as a change of `operation`: the
    file that they are taken out of and the archive change together. The path of the new file.

    The caller holds memcli's own lock. `pieces` are asked for when the operation is committed. Raises CannotWrite.
    """
    folder = folder_of(store, removed.path)
    state.place(store, PLACE)
    with state.telling(folder):
        state.make_folder(folder)
    before = series(folder)
    number = before.members[-1].number + 1 if before else 1
    first = (
        max((one.removed.first + one.removed.rows for one in before.members if one.removed), default=1) if before else 1
    )
    path = os.path.join(folder, f"{number:06d}-{operation.id}{SUFFIX}")
    operation.create(path, pack(removed._replace(first=first), pieces, operation.id), root=store.folder)
    return path


def folder_of(store: Store, path: str) -> str:
    """The folder of the series of the session in the file `path`; it need not exist. It is named by where the file is in its
    workspace, so that it is found again when the workspace moves."""
    from hashlib import sha256

    inside = os.path.relpath(os.path.realpath(path), store.root)
    return os.path.join(store.folder, PLACE, sha256(os.fsencode(inside)).hexdigest()[:16])


def of(store: Store, path: str) -> Series | None:
    """The series of the session in the file `path`; None: nothing of it was taken out."""
    return series(folder_of(store, path))


def find(store: Store, path: str, session: str) -> Series | None:
    """The same; where there is none, the series of a file that is gone and had the key `session`: it was renamed since."""
    found = of(store, path)
    gone = (one for one in every(store) if one.session == session and not os.path.exists(one.origin))
    return found or next(gone, None)


def every(store: Store) -> list[Series]:
    """Every series of a workspace, in no particular order."""
    place = os.path.join(store.folder, PLACE)
    found = (series(os.path.join(place, name)) for name in _names(place))
    return [one for one in found if one is not None]


def series(folder: str) -> Series | None:
    """The series in a folder; None where it has no file of one. Only the beginning of each file is read."""
    members = tuple(one._replace(removed=_removed(one.path)) for one in _members(folder))
    if not members:
        return None
    newest = next((one.removed for one in reversed(members) if one.removed), Removed("", "", "", 0, ""))
    return Series(folder, newest.session, newest.agent, newest.path, members)


def lines(found: Series, broken: list[Broken]) -> Iterator[Archived]:
    """Every line of a series, oldest first; what cannot be read is added to `broken`. Memory: a block and a line."""
    number = offset = 0
    row, noted = 1, False
    for member in found.members:
        reading = _Reading(member.path, row, noted, broken)
        for one in reading.lines():
            number += 1
            yield Archived(one.row, Line(number, offset, one.size, one.raw, one.ended))
            offset += one.size + one.ended
        row, noted = reading.after, reading.noted


def pack(removed: Removed, pieces: Iterable[bytes], operation: str) -> Iterator[bytes]:
    """The bytes of a file of the archive."""
    row = removed.first
    inside = False
    for block in _blocks(pieces):
        yield _member({**removed._asdict(), "operation": operation, "row": row, "inside": inside}, block)
        ended = block.split(b"\n")[:-1]
        row += sum(not is_blank(line) for line in ended)
        row += inside and bool(ended) and is_blank(ended[0])  # the end of a line that began in the block before
        inside = not block.endswith(b"\n")


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end with a line, unless that is longer than a block."""
    held = b""
    for piece in pieces:
        held += piece
        start = 0
        while len(held) - start >= BLOCK:
            cut = held.rfind(b"\n", start, start + BLOCK) + 1 or start + BLOCK
            yield held[start:cut]
            start = cut
        held = held[start:]
    if held:
        yield held


def _member(comment: Mapping[str, Any], block: bytes) -> bytes:
    """One gzip member (RFC 1952): a comment, no time, a sum of the header; the sum and the length at its end."""
    import json
    import zlib

    told = json.dumps(comment, ensure_ascii=True, separators=(",", ":")).encode()
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(block) + packer.flush()
    head = b"".join((_HEAD, told, b"\0"))
    end = zlib.crc32(block).to_bytes(4, "little") + len(block).to_bytes(4, "little")
    return b"".join((head, (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little"), body, end))


class _Read(NamedTuple):
    row: int
    raw: bytes | None
    size: int
    ended: bool


class _Reading:
    """Reads one file member by member. `row` is the number that the next row should have, `unsure` tells that it may have
    another; `after` is that of the first row behind the file."""

    def __init__(self, path: str, row: int, unsure: bool, broken: list[Broken]) -> None:
        self.path, self.row, self.unsure, self.broken = path, row, unsure, broken
        self.end = 0
        self.noted = False
        self.held: list[bytes] = []
        self.size = 0
        self.lost = False  # the beginning of the line that is being read is

    def lines(self) -> Iterator[_Read]:
        """The lines without their ends."""
        try:
            fd = open_regular(self.path)
        except CannotRead as error:
            self._note(self.row, str(error.facts["why"]))
            return
        try:
            position: int | None = 0
            while position is not None:
                position, block, why = self._block(fd, position)
                first = self.row
                yield from self._split(block, bool(why))
                if why:
                    self._note(first, why)
                    self.held, self.size = [], 0
                    position = None if position is None else _next(fd, position)
        finally:
            os.close(fd)
        if self.size:
            yield self._line(False)
        if self.row < self.end and not self.noted:
            self._note(self.row, "rows at its end are missing")

    @property
    def after(self) -> int:
        """The number of the first row behind the file."""
        return max(self.row, self.end)

    def _block(self, fd: int, position: int) -> tuple[int | None, bytes, str]:
        """Where the next member begins (None: nowhere), the lines of this one, and what is wrong with it."""
        import zlib

        head = os.pread(fd, COMMENT, position)
        if not head:
            return None, b"", "" if position else "it is empty"
        told, begin = _comment(head)
        if told is None:
            return position + 1, b"", "it is no gzip file of memcli's"
        self._begins(told)
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        block = b""
        at = position + begin
        try:
            while not unpacker.eof:
                piece = os.pread(fd, PIECE, at)
                if not piece:
                    return None, block, "its end is missing"
                at += len(piece)
                block += unpacker.decompress(piece, BLOCK + 1 - len(block))
                if len(block) > BLOCK or unpacker.unconsumed_tail:
                    return position + 1, b"", "it holds more than memcli writes"
        except zlib.error:
            return position + 1, block, "its packed bytes are not what they were"
        at -= len(unpacker.unused_data)
        end = os.pread(fd, 8, at)
        if len(end) < 8:
            return None, block, "its end is missing"
        if end != zlib.crc32(block).to_bytes(4, "little") + len(block).to_bytes(4, "little"):
            return position + 1, block, "its sum is not that of its lines"
        return at + 8, block, ""

    def _begins(self, told: Mapping[str, Any]) -> None:
        row, first, rows = (told.get(name) for name in ("row", "first", "rows"))
        if type(row) is int and type(first) is int and type(rows) is int:
            if row != self.row and not self.noted and not self.unsure:
                self._note(self.row, "rows are missing there" if row > self.row else "rows before it come twice")
            self.row, self.end, self.unsure = row, first + rows, False
        self.lost = told.get("inside") is True and (self.lost or not self.size)

    def _split(self, block: bytes, damaged: bool) -> Iterator[_Read]:
        """The lines that end in a block; of a damaged one only those that are whole records."""
        *ended, rest = block.split(b"\n")
        for piece in ended:
            self._hold(piece)
            lost, self.lost = self.lost, False
            line = self._line(True, lost)
            if not lost and (not damaged or (line.raw is not None and _is_record(line.raw))):
                yield line
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size > MAX_LINE:
            self.held = []
        elif piece:
            self.held.append(piece)

    def _note(self, row: int, why: str) -> None:
        self.noted = True
        self.broken.append(Broken(self.path, row, why))

    def _line(self, ended: bool, inside: bool = False) -> _Read:
        size, raw = self.size, None if self.size > MAX_LINE else b"".join(self.held)
        self.held, self.size = [], 0
        blank = raw is not None and is_blank(raw) and not inside
        row = 0 if blank else self.row
        self.row += not blank
        return _Read(row, raw, size, ended)


def _comment(head: bytes) -> tuple[Mapping[str, Any] | None, int]:
    """What the header of a member tells, {} where it is not what it was, and where its packed bytes begin; (None, 0) where no
    member begins."""
    import json
    import zlib

    end = head.find(b"\0", len(_HEAD)) + 1
    if not head.startswith(_HEAD) or not end:
        return None, 0
    right = zlib.crc32(head[:end]) & 0xFFFF == int.from_bytes(head[end : end + 2], "little")
    told = json.loads(head[len(_HEAD) : end - 1]) if right else {}
    return told, end + 2


def _next(fd: int, position: int) -> int | None:
    """Where the first member from a byte on begins, None where there is none."""
    mark = _HEAD + b"{"
    while True:
        piece = os.pread(fd, PIECE, position)
        found = piece.find(mark)
        if found >= 0:
            return position + found
        if len(piece) < len(mark):
            return None
        position += len(piece) - len(mark) + 1


def _removed(path: str) -> Removed | None:
    try:
        fd = open_regular(path)
    except CannotRead:
        return None
    try:
        told = _comment(os.pread(fd, COMMENT, 0))[0] or {}
    finally:
        os.close(fd)
    told = {name: told.get(name) for name in Removed._fields}
    kinds = (str, str, str, int, str, int)
    if not all(type(value) is kind for value, kind in zip(told.values(), kinds, strict=True)):
        return None
    return Removed(**told)


def _members(folder: str) -> list[Member]:
    """The files of a series by their names, oldest first."""
    found = []
    for name in _names(folder):
        match = NAME.fullmatch(name)
        if match:
            operation = name.removesuffix(SUFFIX).partition("-")[2]
            found.append(Member(os.path.join(folder, name), int(match[1]), operation, None))
    return sorted(found, key=lambda one: (one.number, one.path))


def _is_record(raw: bytes) -> bool:
    found = decode(raw)
    return len(found.values) == 1 and not found.flaw and isinstance(found.values[0], dict)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


_HEAD = b"\x1f\x8b\x08\x12\0\0\0\0\0\xff"
"""A gzip member with a comment and a sum of its header, without a time, by no particular system."""
