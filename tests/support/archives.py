"""Sessions whose first rows memcli has in its archive, as `compact --trim` leaves them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memcli.core import discovering, sealing
from memcli.storage import row_archive, undo
from memcli.storage.row_archive import Removed
from memcli.storage.state import Store
from memcli.storage.versions import read_version

AT = "2026-05-21T03:00:00Z"
OFFSETS = ("last_consolidated", "last_archived")


def trim(home: Path, path: Path, count: int, agent: str = "catbuddy", key: str = "desktop:main") -> str:
    """Move the first `count` rows of the session at `path`, and what counts them, to the archive; the operation's id."""
    lines = path.read_bytes().split(b"\n")[:-1]
    leading = 0 if agent == "cococat" else 1
    header, gone, left = lines[:leading], lines[leading : leading + count], lines[leading + count :]
    if header:
        value: dict[str, Any] = json.loads(header[0])
        value |= {name: max(0, value[name] - count) for name in OFFSETS if name in value}
        header = [json.dumps(value, ensure_ascii=False).encode()]
    store = store_of(home, agent)
    with undo.begin(store, "compact", command=["memcli", "compact"], agent=agent) as operation:
        removed = Removed(key, agent, str(path), len(gone), AT)
        row_archive.add(operation, store, removed, [row + b"\n" for row in gone])
        data = b"".join(row + b"\n" for row in (*header, *left))
        operation.rewrite(str(path), read_version(str(path)), data, root=str(home), mtime="keep")
        return operation.commit().id


def store_of(home: Path, agent: str = "catbuddy") -> Store:
    return sealing.store(discovering.find([str(home)], agent)[0])
