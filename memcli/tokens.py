"""Exact token counts without network: tiktoken over rank tables that memcli carries, and a cache of counts.

A count is cached under the SHA-256 of the content that was counted, so that a second run needs no tokenizer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memcli import settings
from memcli.errors import CannotRead, UsageError

if TYPE_CHECKING:
    from tiktoken import Encoding

DATA = os.path.join(os.path.dirname(__file__), "data")
LONG_BLANK = 100_000
"""Blanks in a row, in characters, that are kept from tiktoken's pattern: it aborts somewhere over 300,000."""
SHARD_RECORDS = 8192
"""Cached counts in one cache file, of 16 per encoding: 4 MiB in all."""


def count(texts: Iterable[str], encoding: str = "o200k_base") -> int:
    """The number of tokens of all `texts`, each counted by itself. Errors as in `counter`."""
    return sum(map(counter(encoding), texts))


def counter(encoding: str = "o200k_base") -> Callable[[str], int]:
    """A function that counts the tokens of a text exactly as tiktoken's `encode_ordinary` does.

    What looks like a special token is ordinary text; half an emoji (a lone surrogate) counts as U+FFFD.
    Loading a table takes about 200 ms, once per process. Raises UsageError for an encoding that is not in
    ENCODINGS, CannotRead when the table is missing or not the one that memcli was built with.
    """
    if encoding not in _counters:
        spec = _spec(encoding)
        ranks = _ranks(encoding, spec.sha256)
        _counters[encoding] = _Counter(encoding, spec, ranks)
    return _counters[encoding]


def cached_count(key: bytes, compute: Callable[[], int], encoding: str = "o200k_base") -> int:
    """The count kept under `key`, else what `compute` gives, kept for the next run.

    `key` is a `digest` of everything that the count depends on. A cache that cannot be read, is damaged or
    cannot be written is as good as none; any number of processes may use it at once.
    """
    from hashlib import sha256

    _spec(encoding)
    identity = sha256(key).digest()[:20]
    path = os.path.join(settings.cache_folder(), "tokens", f"{encoding}-{identity[0] >> 4:x}.counts")
    shard = _shards.get(path)
    if shard is None:
        shard = _shards[path] = _read_shard(path)
    known = shard.counts.get(identity)
    if known is None:
        known = shard.counts[identity] = compute()
        try:
            _keep(path, shard, identity, known)
        except OSError:
            pass  # no space, no permission, a file where the folder should be: the count is right anyway
    return known


def digest(fd: int, size: int, *what: str) -> bytes:
    """The SHA-256 of the first `size` bytes of `fd` and of `what`: which text of it was counted."""
    from hashlib import sha256

    state = sha256("\0".join(what).encode() + b"\0")
    view = memoryview(bytearray(1 << 20))
    position = 0
    while position < size:
        got = os.preadv(fd, (view[: size - position],), position)
        if not got:
            break
        state.update(view[:got])
        position += got
    return state.digest()


class Spec(NamedTuple):
    """An encoding: the SHA-256 of its packed table; its pattern and special tokens as in tiktoken 0.14."""

    sha256: str
    pattern: str
    special: dict[str, int]


ENCODINGS = {
    "cl100k_base": Spec(
        "361486d95ef56257109fcf28e783a73e6bc9943c2a44296fb6cea1b386e2739a",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
        r"\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": Spec(
        "8c866d8a9169a585a00b0b43e116668ae8636bd4ebe25be6b7ec9ab977c1dbff",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}


class _Counter:
    """Counts with one encoding; a second tokenizer for long blanks is built when such a text turns up."""

    def __init__(self, name: str, spec: Spec, ranks: dict[bytes, int]) -> None:
        self._name, self._special, self._ranks = name, spec.special, ranks
        self._encode = self._build(spec.pattern).encode_ordinary
        self._cut_end = "$" not in spec.pattern
        self._blanks: Encoding | None = None

    def __call__(self, text: str) -> int:
        if len(text) < LONG_BLANK:
            return len(self._encode(text))
        pieces = _cut(text, self._cut_end)
        return sum(self._blank(piece) if whole else len(self._encode(piece)) for piece, whole in pieces)

    def _blank(self, piece: str) -> int:
        if self._blanks is None:
            self._blanks = self._build(r"(?s:.+)")
        return len(self._blanks.encode_ordinary(piece))

    def _build(self, pattern: str) -> Encoding:
        from tiktoken import Encoding

        return Encoding(self._name, pat_str=pattern, mergeable_ranks=self._ranks, special_tokens=self._special)


class _Shard(NamedTuple):
    counts: dict[bytes, int]
    sound: bool


_counters: dict[str, _Counter] = {}
_shards: dict[str, _Shard] = {}
_RECORD = 32  # 20 bytes of identity, 8 of count, 4 of CRC-32: small enough that one appending write is never split


def _spec(encoding: str) -> Spec:
    if encoding not in ENCODINGS:
        raise UsageError(f"There is no encoding called {encoding!r}; the known ones are {', '.join(ENCODINGS)}.")
    return ENCODINGS[encoding]


def _cut(text: str, at_end: bool) -> Iterator[tuple[str, bool]]:
    """`text` in pieces at borders that the encoding's pattern makes anyway; True: one piece for the merges.

    Blanks without a newline among or behind them are one match, all but the last one where text follows,
    which may begin the next match (`\\s+(?!\\S)`). Blanks at the end stay with the newlines before them where
    the pattern has `\\s++$`, which takes any number: `at_end` is False. The class is White_Space, as Rust
    reads \\s, without CR and LF.
    """
    import re

    blank = "[\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
    done = 0
    for match in re.finditer(f"{blank}{{64,}}", text):
        start, end = match.span()
        if end < len(text):
            end -= 1
        elif not at_end:
            continue
        if end - start < LONG_BLANK or text[match.end() : match.end() + 1] in ("\r", "\n"):
            continue
        yield text[done:start], False
        yield text[start:end], True
        done = end
    yield text[done:], False


def _ranks(encoding: str, expected: str) -> dict[bytes, int]:
    import zlib
    from hashlib import sha256
    from itertools import accumulate, pairwise

    path = os.path.join(DATA, f"{encoding}.ranks")
    try:
        with open(path, "rb") as file:
            packed = file.read()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise CannotRead(f"The token table {path} cannot be read ({why}): install memcli anew.", path=path) from error
    if sha256(packed).hexdigest() != expected:
        why = "it is not the file that memcli was built with"
        raise CannotRead(f"The token table {path} is damaged ({why}): install memcli anew.", path=path)
    plain = zlib.decompress(packed)
    first = 4 + int.from_bytes(plain[:4], "little")
    borders = pairwise(accumulate(plain[4:first], initial=first))
    return {plain[start:end]: rank for rank, (start, end) in enumerate(borders)}


def _read_shard(path: str) -> _Shard:
    from zlib import crc32

    most = SHARD_RECORDS * _RECORD * 2
    try:
        with open(path, "rb") as file:
            data = file.read(most)
    except OSError:
        return _Shard({}, True)
    counts = {}
    sound = len(data) < most  # two processes may both have appended a count, so a file can grow beyond its bound
    for at in range(0, len(data), _RECORD):
        record = data[at : at + _RECORD]
        if crc32(record[:28]) == int.from_bytes(record[28:], "little") and len(record) == _RECORD:
            counts[record[:20]] = int.from_bytes(record[20:28], "little")
        else:
            sound = False
    return _Shard(counts, sound)


def _keep(path: str, shard: _Shard, identity: bytes, number: int) -> None:
    """Append one count; write the file anew, by rename, when it is full or something in it is not a count."""
    folder = os.path.dirname(path)
    os.makedirs(folder, 0o700, exist_ok=True)
    if shard.sound and len(shard.counts) < SHARD_RECORDS:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(fd, _record(identity, number))
        finally:
            os.close(fd)
        return
    from tempfile import mkstemp

    newest = list(shard.counts.items())[-SHARD_RECORDS // 2 :]
    fd, temporary = mkstemp(dir=folder)
    try:
        with open(fd, "wb") as file:
            file.write(b"".join(_record(*pair) for pair in newest))
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    _shards[path] = _Shard(dict(newest), True)


def _record(identity: bytes, number: int) -> bytes:
    from zlib import crc32

    body = identity + number.to_bytes(8, "little")
    return body + crc32(body).to_bytes(4, "little")
