"""Unpacking a zip with zipfile, and what that leaves open: real names, kinds, times, a bound on memory."""

from __future__ import annotations

import os
import stat
import struct
import time
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from memcli.storage.reading import kind as kind_of_mode
from memcli.storage.tarball import Broken
from memcli.storage.unpacking import Sink

if TYPE_CHECKING:
    from zipfile import ZipInfo

ENTRY = 512
"""The table of contents may take this many bytes for each member that the caps allow."""


def unpack(file: IO[bytes], sink: Sink) -> None:
    """Write the members of the zip in `file` to `sink`. Raises what zipfile raises, RefusedInput and
    Broken."""
    import zipfile

    _check(file, sink)
    with zipfile.ZipFile(file) as archive:
        wanted = []
        for info in archive.infolist():  # every name before the first byte: one hostile name condemns the whole
            name, backslash = _name(info)
            path = sink.admit(name, backslash)
            kind = _kind(info, name, backslash)
            if path is None:
                continue
            if kind == "file":
                wanted.append((info, name, path))
            elif kind == "folder":
                sink.folder(name, path)
            else:
                sink.skip(name, kind)
        for info, name, path in wanted:
            with archive.open(info) as member:
                sink.file(name, path, sink.pieces(member.read), _time(info))


def _check(file: IO[bytes], sink: Sink) -> None:
    """Refuse a zip whose table of contents is larger than the caps allow, before zipfile reads it into
    memory.

    Raises Broken when there is none, as in an archive that was cut off.
    """
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _TAIL)
    file.seek(start)
    tail = file.read(_TAIL)
    # zipfile looks at the very end first, then for the last mark: both are looked at here
    places = {len(tail) - 22, tail.rfind(_END)}
    marks = [at for at in places if at >= 0 and tail.startswith(_END, at) and len(tail) >= at + 22]
    if not marks:
        raise Broken("its table of contents is missing, as when the end of a file is cut off")
    largest = max(claim for at in marks for claim in _claims(file, tail, at))
    if largest > ENTRY * sink.caps.members:
        raise sink.too_many()
    begin = max(0, start + min(marks) - largest - _WIDE)
    file.seek(begin)
    if file.read(size - begin).count(b"PK\1\2") > sink.caps.members:
        raise sink.too_many()


def _name(info: ZipInfo) -> tuple[str, bool]:
    """A member's stored name, and whether backslashes in it part folders, as some Windows tools write them.

    zipfile takes a name without the UTF-8 flag for cp437; its bytes are in truth whatever the maker's system
    used.
    """
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        name = os.fsdecode(name.encode("cp437"))
    return name, info.create_system == 0


def _kind(info: ZipInfo, name: str, backslash: bool) -> str:
    """The words "file" or "folder", or in words why the member is passed over."""
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a symlink"
    if stat.S_ISDIR(mode) or name.endswith("/") or (backslash and name.endswith("\\")):
        return "folder"
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return kind_of_mode(mode)
    if info.flag_bits & 0x1:
        return "encrypted"
    if info.compress_type not in (0, 8):  # stored, deflated; the others expand without a bound on memory
        return f"compressed by method {info.compress_type}, which is not read here"
    return "file"


def _time(info: ZipInfo) -> float | None:
    """A member's time in epoch seconds: the one in UTC that Unix tools add, else the local one."""
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == 0x5455 and 5 <= size <= len(extra) - 4 and extra[4] & 1:
            return float(struct.unpack_from("<i", extra, 5)[0])
        extra = extra[4 + size :]
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None


def _claims(file: IO[bytes], tail: bytes, at: int) -> Iterator[int]:
    """How large the table of contents is, by the end record at `at` and by zip64 records before it."""
    yield int.from_bytes(tail[at + 12 : at + 16], "little")
    if tail.startswith(b"PK\6\7", max(0, at - 20)):
        file.seek(int.from_bytes(tail[at - 12 : at - 4], "little") & ((1 << 62) - 1))
        for record in (tail[max(0, at - _WIDE) : at - 20], file.read(56)):
            if record.startswith(b"PK\6\6"):
                yield int.from_bytes(record[40:48], "little")


_END = b"PK\5\6"
_WIDE = 56 + 20
"""The zip64 end record and its locator."""
_TAIL = (1 << 16) + 22 + _WIDE
