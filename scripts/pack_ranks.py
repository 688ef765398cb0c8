"""Pack tiktoken's rank files into memcli/data: `python scripts/pack_ranks.py WHEEL_OR_FILE...`.

The official `.tiktoken` files need a download that memcli must not make, so they are taken from a package
that carries them, found by their SHA-256 whatever their name: `pip download --no-deps llama-index-core`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parent.parent / "memcli" / "data"

# tiktoken_ext.openai_public, expected_hash of each encoding
OFFICIAL = {
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": "cl100k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": "o200k_base",
}


def pack(text: bytes) -> bytes:
    """The packed form of a `.tiktoken` text: zlib of the count (u32 LE), a length byte each, the tokens."""
    tokens = []
    for rank, row in enumerate(text.splitlines()):
        token, _, number = row.partition(b" ")
        if int(number) != rank:
            raise ValueError(f"rank {int(number)} stands where {rank} belongs: the packed form has no place for gaps")
        tokens.append(base64.b64decode(token))
    plain = struct.pack("<I", len(tokens)) + bytes(map(len, tokens)) + b"".join(tokens)
    return zlib.compress(plain, 9)


def main(arguments: list[str] | None = None) -> int:
    """Pack what is found in the given files; 1 when an encoding was not found in any of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", nargs="+", type=Path, metavar="WHEEL_OR_FILE")
    parser.add_argument("-o", "--output", type=Path, default=DATA, metavar="DIR")
    options = parser.parse_args(arguments)
    missing = dict(OFFICIAL)
    for source in options.sources:
        for text in _texts(source):
            name = missing.pop(hashlib.sha256(text).hexdigest(), None)
            if name is None:
                continue
            packed = pack(text)
            target = options.output / f"{name}.ranks"
            target.write_bytes(packed)
            print(f"{target.name}: {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}")
    for name in missing.values():
        print(f"{name}: the official file is in none of the sources", file=sys.stderr)
    return 1 if missing else 0


def _texts(source: Path) -> Iterator[bytes]:
    if not zipfile.is_zipfile(source):
        yield source.read_bytes()
        return
    with zipfile.ZipFile(source) as wheel:
        for member in wheel.infolist():
            if member.file_size > 1 << 20:  # the rank files are larger, and little else in a wheel is
                yield wheel.read(member)


if __name__ == "__main__":
    sys.exit(main())
