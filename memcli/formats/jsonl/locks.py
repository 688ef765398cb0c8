"""The lock files that OpenClaw puts beside a session while it writes (O_EXCL, JSON with the pid inside); Pi takes none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcli.formats.jsonl import layout
from memcli.model import Workspace

if TYPE_CHECKING:
    from memcli.storage.holders import Lock


def locks(workspace: Workspace) -> list[Lock]:
    """One for each session that has such a file: other writers of JSON lines have no use for one."""
    from memcli.storage.holders import Lock

    paths = [f"{path}.lock" for path in sorted(layout.session_paths(workspace))]
    return [Lock("exclusive-file", path) for path in paths if os.path.lexists(path)]


def beacons(workspace: Workspace) -> list[str]:
    """None is known."""
    return []
