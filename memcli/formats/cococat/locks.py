"""The lock files that CocoCat V1's edit tool puts beside a memory file (O_EXCL, the pid inside), and never breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.formats.cococat import memory
from memcli.model import Workspace

if TYPE_CHECKING:
    from memcli.storage.holders import Lock


def locks(workspace: Workspace) -> list[Lock]:
    """One for each memory file, held or not."""
    from memcli.storage.holders import Lock

    return [Lock("exclusive-file", f"{file.path}.lock") for file in memory.files(workspace)]


def beacons(workspace: Workspace) -> list[str]:
    """None is known."""
    return []
