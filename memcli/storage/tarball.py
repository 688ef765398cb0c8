"""The members of a tar archive, read front to back from any stream in bounded memory and time.

Not tarfile: that reads headers of any size into memory, searches them in quadratic time (CVE-2024-6232),
recurses once for each header before a member, and takes a damaged header for the end of the archive.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

BLOCK = 512
CHUNK = 1 << 20
HEADER_LIMIT = 1 << 20


class Broken(Exception):
    """The archive cannot be read further; the text is a clause that says why."""


class Member(NamedTuple):
    """One entry. `kind` is "file", "folder", or in words what else it is; `pieces` gives its bytes, once."""

    name: str
    kind: str
    mtime: float | None
    pieces: Iterator[bytes]


class Tarball:
    """Iterates over members; what the caller leaves of a member's pieces is skipped.

    `read(n)` gives n bytes, fewer only at the end. Afterwards `complete` tells whether the end mark was
    there. Raises Broken for a damaged header and for an end in the middle of a member.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.complete = False
        self._read = read
        self._at = 0

    def __iter__(self) -> Iterator[Member]:
        shared: dict[str, bytes] = {}
        own: dict[str, bytes] = {}
        while block := self._take(BLOCK):
            if not any(block):
                self.complete = True
                return
            if not is_header(block):
                raise Broken(f"there is no member where one should start, at byte {self._at - len(block):,}")
            size, flag = _number(block[124:136]), block[156:157]
            if flag in (b"x", b"X"):
                own |= _pax(self._body(size))
            elif flag == b"g":
                shared |= _pax(self._body(size))
            elif flag == b"L":
                own["path"] = self._body(size).partition(b"\0")[0]
            elif flag == b"K":
                self._body(size)
            else:
                member = self._member(block, flag, size, shared | own)
                own = {}
                yield member
                for _ in member.pieces:
                    pass
        if not self._at:
            raise Broken("it is empty")

    def _member(self, block: bytes, flag: bytes, size: int, words: dict[str, bytes]) -> Member:
        """A member from its header and the words of the extended headers before it."""
        name = words.get("path") or _name(block)
        if "size" in words:
            size = _decimal(words["size"])
        kind = _KINDS.get(flag, "of an unknown kind")
        if kind == "file" and name.endswith(b"/"):
            kind = "folder"
        if "sparse" in words:
            name, kind = words.get("sparse name", name), "a sparse file"
        return Member(
            os.fsdecode(name),
            kind,
            _time(words.get("mtime"), block),
            self._data(0 if flag in _BODILESS else size),
        )

    def _data(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            piece = self._take(min(left, CHUNK))
            if not piece:
                raise Broken("it ends in the middle of a member")
            left -= len(piece)
            yield piece
        self._take(-size % BLOCK)

    def _body(self, size: int) -> bytes:
        if size > HEADER_LIMIT:
            raise Broken(f"a header of {size:,} bytes stands before a member")
        return b"".join(self._data(size))

    def _take(self, size: int) -> bytes:
        data = self._read(size) if size else b""
        self._at += len(data)
        return data


def is_header(block: bytes) -> bool:
    """Whether a block is a member's header: its checksum is right, of unsigned or signed bytes."""
    field = block[148:156].strip(b" \0")
    if len(block) != BLOCK or not field or field.strip(b"01234567"):
        return False
    rest = block[:148] + b" " * 8 + block[156:]
    unsigned = sum(rest)
    return int(field, 8) in (unsigned, unsigned - 256 * sum(byte > 127 for byte in rest))


def _name(block: bytes) -> bytes:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _number(field: bytes) -> int:
    """A number field: octal digits, or base 256 behind a byte 0x80."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.partition(b"\0")[0].strip()
    if digits.strip(b"01234567"):
        raise Broken("a number in a header does not parse")
    return int(digits or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20:
        raise Broken("a number in a header does not parse")
    return int(digits)


def _time(word: bytes | None, block: bytes) -> float | None:
    try:
        return float(word) if word is not None else float(_number(block[136:148]))
    except (ValueError, OverflowError, Broken):  # a nonsense date does not make the member unreadable
        return None


def _pax(body: bytes) -> dict[str, bytes]:
    """The words that matter of an extended header, whose records are "LENGTH KEY=VALUE\\n"."""
    words: dict[str, bytes] = {}
    position = 0
    while position < len(body) and body[position]:
        space = body.find(b" ", position, position + 20)
        if space < 0:
            raise Broken("an extended header does not parse")
        end = position + _decimal(body[position:space])
        if not space < end <= len(body):
            raise Broken("an extended header does not parse")
        key, _, value = body[space + 1 : end - 1].partition(b"=")
        if key in (b"path", b"size", b"mtime"):
            words[key.decode()] = value
        elif key.startswith(b"GNU.sparse."):
            words["sparse name" if key.endswith(b".name") else "sparse"] = value
        position = end
    return words


_KINDS = {
    b"0": "file",
    b"\0": "file",
    b"7": "file",
    b"5": "folder",
    b"1": "a hard link",
    b"2": "a symlink",
    b"3": "a device",
    b"4": "a device",
    b"6": "a FIFO",
    b"S": "a sparse file",
    b"V": "a volume label",
    b"M": "part of a file in several volumes",
}
_BODILESS = frozenset((b"1", b"2", b"3", b"4", b"5", b"6"))
