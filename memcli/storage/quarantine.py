"""Bytes that repair takes out of a file, kept verbatim and for ever, with the place where they stood.

Of each operation there are two files: `bytes`, all pieces one behind the other, and `index.jsonl`, a row for each:
path, offset and length in that file, code, sha256, and `at`, where the piece begins in `bytes`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.storage import state, system
from memcli.storage.state import Store

HELD = 1 << 20
"""Bytes that are held before they are written."""


class Quarantine:
    """Pieces of one operation, written to the folder `path`, which is made with the first of them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pieces = 0
        self.bytes = 0
        self._files: dict[str, int] = {}
        self._held: dict[str, list[bytes]] = {"bytes": [], "index.jsonl": []}
        self._waiting = 0

    def add(self, path: str, offset: int, piece: bytes, code: str) -> None:
        """Keep a piece that stood in `path` at byte `offset`. Raises OSError."""
        import json
        from hashlib import sha256

        row = {
            "path": path,
            "offset": offset,
            "length": len(piece),
            "code": code,
            "sha256": sha256(piece).hexdigest(),
            "at": self.bytes,
        }
        self._held["bytes"].append(piece)
        self._held["index.jsonl"].append(json.dumps(row).encode() + b"\n")
        self.pieces += 1
        self.bytes += len(piece)
        self._waiting += len(piece) + 1
        if self._waiting > HELD:
            self._write()

    def close(self) -> None:
        """Have everything on the disk. Raises OSError."""
        if self.pieces:
            self._write()
            for fd in self._files.values():
                system.fdatasync(fd)
            state.sync_folder(self.path)
        self.leave()

    def leave(self) -> None:
        """Give back the descriptors."""
        for fd in self._files.values():
            os.close(fd)
        self._files = {}

    def _write(self) -> None:
        if not self._files:
            state.make_folder(self.path)
            for name in self._held:
                self._files[name] = state.new_file(os.path.join(self.path, name))
        for name, pieces in self._held.items():
            system.write_all(self._files[name], b"".join(pieces))
            pieces.clear()
        self._waiting = 0


def pieces(store: Store, folder: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The rows of the index of one operation, each with its piece. Raises OSError, ValueError when it was tampered
    with."""
    import json

    path = os.path.join(store.folder, "quarantine", folder)
    with open(os.path.join(path, "index.jsonl"), "rb") as index, open(os.path.join(path, "bytes"), "rb") as data:
        for line in index:
            row = json.loads(line)
            data.seek(row["at"])
            yield row, data.read(row["length"])
