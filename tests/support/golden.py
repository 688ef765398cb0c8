"""Golden files: what commands print over the samples, checked by hand once and compared ever after.

Regenerate with `MEMCLI_WRITE_GOLDEN=1 pytest tests/commands`, then read the difference before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

WORKSPACES = (
    "catbuddy",
    "cococat-v1-healthy",
    "cococat-v1-damaged",
    "cococat-v2-layout",
    "nanobot-v0.1.5.post3",
    "nanobot-v0.2.2",
    "nanobot-v0.3.0",
    "nanobot-v0.3.5",
    "nanobot-v0.3.5-killed",
)
"""The samples that commands are tried on, by the names of their golden files."""
GOLDEN = Path(__file__).parents[1] / "golden"
WRITE = os.environ.get("MEMCLI_WRITE_GOLDEN", "") != ""
if WRITE and os.environ.get("CI"):
    raise RuntimeError("Golden files are written by hand, never in CI: unset MEMCLI_WRITE_GOLDEN.")


def check(name: str, text: str, places: Mapping[str, Path]) -> None:
    """Compare `text`, each path of `places` in it replaced by its name, with tests/golden/NAME."""
    for word, path in sorted(places.items(), key=lambda item: -len(str(item[1]))):
        text = text.replace(str(path), f"<{word}>")
    path = GOLDEN / name
    data = text.encode("utf-8", "surrogateescape")
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert path.is_file(), f"there is no golden file {name}"
    assert data.decode("utf-8", "replace") == path.read_bytes().decode("utf-8", "replace")
