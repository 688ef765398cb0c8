"""Where unpacked members go: each name is judged, each byte counted, and nothing but files and folders is
made.

An archive is somebody else's: it may have been made to write elsewhere, to fill the disk, or to keep us busy.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from memcli.errors import CannotRead, RefusedInput
from memcli.storage.tarball import CHUNK, Broken


class Caps(NamedTuple):
    """What one archive or stream may come to.

    `total` is in bytes, everything that has to be decompressed counted. From `ratio_from` bytes on, there may
    be at most `ratio` bytes for each packed one. A member's path has at most `depth` parts and `length`
    bytes.
    """

    total: int = 2 << 30
    members: int = 100_000
    ratio: int = 200
    ratio_from: int = 64 << 20
    depth: int = 32
    length: int = 1024


class Report(NamedTuple):
    """What came of unpacking: files made, (member, why) for what was not, whether the end was missing."""

    files: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, str], ...] = ()
    truncated: bool = False


DEFAULT = Caps()
TRUSTED = "If you trust it, unpack it yourself and name the folder with -W."
DAMAGED = "Ask for it again, or rescue what you can yourself and name the folder with -W."
HOSTILE = "Nothing of it was kept."


class Sink:
    """The folder `into` as all that members of the archive `source`, of `packed` bytes, can reach.

    As a context manager it takes away on an exception what was made, and turns the exception into a sentence.
    """

    def __init__(self, source: str, into: str, caps: Caps, packed: int) -> None:
        self.source = source
        self.into = into
        self.caps = caps
        self.packed = packed
        self.truncated = False
        self._files: list[str] = []
        self._folders: list[str] = []
        self._passed_over: list[tuple[str, str]] = []
        self._members = 0
        self._spent = 0

    def __enter__(self) -> Sink:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        self.undo()
        failure = self.failure(error)
        if failure is not error:
            raise failure from error

    def admit(self, name: str, backslash: bool = False) -> str | None:
        """The path for a member, None when its name cannot be used here (it is then passed over).

        With `backslash` that character parts folders, as in archives made on Windows. Raises RefusedInput for
        a name that points out of the folder, and for one member too many.
        """
        self._members += 1
        if self._members > self.caps.members:
            raise self.too_many()
        levelled = name.replace("\\", "/")
        if levelled.startswith("/") or ".." in levelled.split("/") or _DRIVE.match(levelled):
            raise self.refuse(f"its member {name!r} points out of the archive", HOSTILE)
        parts = [part for part in (levelled if backslash else name).split("/") if part not in ("", ".")]
        if "\0" in name or not _is_encodable(name):
            self.skip(name, _UNUSABLE)
        elif len(parts) > self.caps.depth or len(os.fsencode("/".join(parts))) > self.caps.length:
            self.skip(name, "its path is too long")
        else:
            return os.path.join(self.into, *parts)
        return None

    def skip(self, name: str, why: str) -> None:
        """Note that a member is passed over."""
        self._passed_over.append((name, why))

    def spend(self, size: int) -> None:
        """Count `size` more bytes. Raises RefusedInput beyond a cap."""
        self._spent += size
        caps = self.caps
        if self._spent > caps.total:
            raise self.refuse(f"it unpacks to more than {size_in_words(caps.total)}")
        if self._spent > caps.ratio_from and self._spent > caps.ratio * self.packed:
            raise self.refuse(f"it unpacks to more than {caps.ratio} times its size, as only made-up data does")

    def folder(self, name: str, path: str) -> None:
        """Make the folder that a member asks for; only we can enter it."""
        try:
            self._make(path)
        except OSError as error:
            self._unusable(name, error)

    def file(self, name: str, path: str, pieces: Iterable[bytes], mtime: float | None) -> None:
        """Write a member's bytes to `path`, with the member's time. The first of two equal names wins."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._make(os.path.dirname(path))
            fd = os.open(path, flags, 0o600)
        except OSError as error:
            self._unusable(name, error)
            return
        self._files.append(path)
        with os.fdopen(fd, "wb") as target:
            for piece in pieces:
                target.write(piece)
        if mtime is not None:
            try:
                os.utime(path, (mtime, mtime))
            except (OSError, OverflowError, ValueError):  # a nonsense date is no reason to lose the member
                pass

    def pieces(self, read: Callable[[int], bytes]) -> Iterator[bytes]:
        """What `read(size)` gives until its end, counted."""
        while piece := read(CHUNK):
            self.spend(len(piece))
            yield piece

    def report(self) -> Report:
        """What was done. Raises RefusedInput when members were passed over and none was left."""
        if self._passed_over and not self._files:
            name, why = self._passed_over[0]
            raise self.refuse(f"nothing in it can be used; its first member {name!r} was passed over ({why})")
        return Report(tuple(self._files), tuple(self._passed_over), self.truncated)

    def undo(self) -> None:
        """Take away what was made, so that nobody reads half an archive."""
        for path in reversed(self._files):
            _quietly(os.unlink, path)
        for path in reversed(self._folders):
            _quietly(os.rmdir, path)

    def refuse(self, why: str, advice: str = TRUSTED) -> RefusedInput:
        """The refusal of the whole archive; `why` is a clause."""
        return RefusedInput(f"{self.source} was not unpacked: {why}. {advice}", path=self.source, why=why)

    def failure(self, error: BaseException) -> BaseException:
        """What to raise for `error`: a sentence, or itself when it is not about the archive."""
        import lzma
        import struct
        import zipfile
        import zlib

        if isinstance(error, OSError) and error.errno not in _OF_DAMAGE:
            why = words(error)
            return CannotRead(
                f"{self.source} could not be unpacked into {self.into}: {why}.", path=self.source, why=why
            )
        if isinstance(error, Broken):
            return self.refuse(str(error), DAMAGED)
        if isinstance(error, EOFError):
            return self.refuse("it ends too early", DAMAGED)
        if isinstance(error, MemoryError):
            return self.refuse("it needs more memory than there is")
        # zipfile has no error of its own for half of what it meets in a damaged table of contents
        damage = (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            struct.error,
            OSError,
            ValueError,
            RuntimeError,
        )
        return self.refuse(f"it is damaged ({error})", DAMAGED) if isinstance(error, damage) else error

    def too_many(self) -> RefusedInput:
        """The refusal of an archive for the number of its members."""
        return self.refuse(f"it has more than {self.caps.members:,} members")

    def _make(self, path: str) -> None:
        missing = []
        while path != self.into and not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for path in reversed(missing):
            os.mkdir(path, 0o700)
            self._folders.append(path)

    def _unusable(self, name: str, error: OSError) -> None:
        """Pass over a member for its name; every other trouble (no space, I/O) is the caller's."""
        if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
            self.skip(name, "another member has its name")
        elif error.errno in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
            self.skip(name, _UNUSABLE)
        else:
            raise error


def size_in_words(size: int) -> str:
    """A cap as a person says it: "2 GiB", "300 bytes"."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >> power and not size % (1 << power):
            return f"{size >> power} {unit}"
    return f"{size:,} bytes"


def words(error: OSError) -> str:
    """Why the system refused, as a clause."""
    return (error.strerror or str(error)).lower()


def _is_encodable(name: str) -> bool:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def _quietly(act: Callable[[str], None], path: str) -> None:
    try:
        act(path)
    except OSError:
        pass


_OF_DAMAGE = (None, errno.EINVAL)
"""bz2 and gzip raise OSError without a number; zipfile seeks where a damaged table of contents says."""
_DRIVE = re.compile(r"[A-Za-z]:/")
_UNUSABLE = "its name cannot be used on this system"
