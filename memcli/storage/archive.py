"""Inputs that are not plain files: archives that a user sent, one .gz file, standard input.

They become plain files in a private temporary folder, which is removed when the process ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import IO, cast

from memcli.errors import CannotRead, RefusedInput
from memcli.storage.reading import open_regular
from memcli.storage.scratch import private_folder
from memcli.storage.tarball import BLOCK, CHUNK, Tarball, is_header
from memcli.storage.unpacking import DAMAGED, DEFAULT, Caps, Report, Sink, size_in_words, words

__all__ = [
    "DEFAULT",
    "Caps",
    "Report",
    "decompress",
    "is_archive",
    "private_folder",
    "take_stream",
    "unpack",
]

SIP = 512


def is_archive(path: str) -> str:
    """What stands at `path` by its first bytes: "zip", "tar" (compressed or not), "gz" for one compressed
    file.

    "" for everything else, and for what cannot be read. Never raises.
    """
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return _kind(file)
    except (CannotRead, OSError):
        return ""


def unpack(path: str, into: str, caps: Caps = DEFAULT) -> Report:
    """Unpack the zip or tar (also with gzip, bzip2 or xz) at `path` into the existing folder `into`.

    Only files and folders are made, for us alone, files with the members' times; links, devices, encrypted
    members, second members of a name and unusable names are passed over and reported. Raises RefusedInput for
    names that point outside, for a damaged or truncated archive and beyond a cap, CannotRead when the archive
    cannot be read or the files cannot be written; then nothing is left behind.
    """
    with (
        os.fdopen(open_regular(path), "rb") as file,
        Sink(path, into, caps, os.fstat(file.fileno()).st_size) as sink,
    ):
        if _kind(file) == "zip":
            from memcli.storage import zipball

            zipball.unpack(file, sink)
        else:
            _untar(file, sink)
        return sink.report()


def decompress(path: str, into: str, caps: Caps = DEFAULT) -> Report:
    """Decompress one gzip file, of one or several parts, into a new file in the existing folder `into`.

    The new file has the old one's name without .gz, and the time that the gzip header tells, else the old
    one's. What could be read of a damaged file is kept: `truncated` says that the rest is missing,
    `passed_over` that something else followed. Raises RefusedInput when nothing could be read or beyond a
    cap, CannotRead as `unpack` does.
    """
    import gzip
    import zlib

    name = os.path.basename(path)
    name = (name[:-3] if name.lower().endswith(".gz") else name) or "data"
    target = os.path.join(into, name)
    trouble: Exception | None = None
    with os.fdopen(open_regular(path), "rb") as file:
        stat = os.fstat(file.fileno())
        sink = Sink(path, into, caps, stat.st_size)
        stream = gzip.GzipFile(fileobj=cast("IO[bytes]", _Sips(file)), mode="rb")

        def pieces() -> Iterator[bytes]:
            nonlocal trouble
            try:
                yield from sink.pieces(stream.read1)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                trouble = error

        with sink:
            sink.file(name, target, pieces(), stat.st_mtime)
            if trouble and not os.path.getsize(target):
                raise sink.refuse(f"not a byte of it could be decompressed ({trouble})", DAMAGED)
            if stream.mtime:
                os.utime(target, (stream.mtime, stream.mtime))
    if _is_other_data(trouble):
        sink.skip("the data behind its end", "it is not gzip")
    elif trouble:
        sink.truncated = True
    return sink.report()


def take_stream(stream: IO[bytes], into: str, caps: Caps = DEFAULT) -> Report:
    """Write all of `stream` (standard input) to one new file in the existing folder `into`.

    Raises RefusedInput when it is longer than `caps.total`, CannotRead when it cannot be read or kept.
    """
    path = os.path.join(into, "stdin.jsonl")
    taken = 0
    try:
        with open(path, "xb") as file:
            while (piece := stream.read(CHUNK)) != b"":
                if piece is None:  # somebody made the pipe non-blocking
                    _wait_for(stream)
                    continue
                taken += len(piece)
                if taken > caps.total:
                    raise _too_long(caps)
                file.write(piece)
    except OSError as error:
        why = words(error)
        raise CannotRead(f"Standard input could not be kept in {into}: {why}.", path="-", why=why) from error
    return Report((path,))


def _kind(file: IO[bytes]) -> str:
    """As `is_archive`; leaves the file at its start."""
    import lzma
    import zlib

    head = file.read(BLOCK)
    file.seek(0)
    if head.startswith((b"PK\3\4", b"PK\5\6", b"PK\7\b")):
        return "zip"
    stream = _decompressed(file)
    if stream:
        packed = "gz" if head.startswith(_GZIP) else ""
        try:
            head = stream.read(BLOCK)
        except (OSError, EOFError, MemoryError, zlib.error, lzma.LZMAError):
            head = b""
        file.seek(0)
        return "tar" if is_header(head) else packed
    return "tar" if is_header(head) else ""


def _decompressed(file: IO[bytes]) -> IO[bytes] | None:
    """What is compressed in `file` as a stream; None when it is not compressed as tar archives are."""
    import bz2
    import gzip
    import lzma

    head = file.read(6)
    file.seek(0)
    if head.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if head.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.BZ2File(file))
    return cast("IO[bytes]", lzma.LZMAFile(file)) if head == b"\xfd7zXZ\0" else None


def _untar(file: IO[bytes], sink: Sink) -> None:
    stream = _decompressed(file) or file

    def read(size: int) -> bytes:
        data = stream.read(size)
        sink.spend(len(data))
        return data

    tarball = Tarball(read)
    for member in tarball:
        path = sink.admit(member.name)
        if path is None:
            continue
        if member.kind == "file":
            sink.file(member.name, path, member.pieces, member.mtime)
        elif member.kind == "folder":
            sink.folder(member.name, path)
        else:
            sink.skip(member.name, member.kind)
    sink.truncated = not tarball.complete
    if stream is not file and tarball.complete:
        sink.truncated = not _reads_on(read)


def _reads_on(read: Callable[[int], bytes]) -> bool:
    """Read what stands behind the end mark, so that the checksum at the end of compressed data is looked at.

    False when it is missing. Raises what the decompressor raises when it is wrong.
    """
    import gzip

    try:
        while read(CHUNK):
            pass
    except EOFError:
        return False
    except gzip.BadGzipFile as error:
        if not _is_other_data(error):
            raise
    return True


def _is_other_data(error: Exception | None) -> bool:
    """Whether gzip stumbled over what follows its data; it has one class for this and for damage."""
    return str(error).startswith("Not a gzipped file")


def _too_long(caps: Caps) -> RefusedInput:
    return RefusedInput(
        f"Standard input is longer than {size_in_words(caps.total)} and was not read to its end. "
        "Write it to a file and name that file with -W.",
        path="-",
        why="too long",
    )


def _wait_for(stream: IO[bytes]) -> None:
    import select

    select.select([stream], [], [])


class _Sips:
    """A file in small sips: a decompressor that meets damage gives back nothing of the last one."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        """At most SIP bytes."""
        return self._file.read(min(size, SIP))


_GZIP = b"\x1f\x8b\x08"
