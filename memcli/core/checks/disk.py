"""Whether there is room for a repair: the new file beside the old one, the old bytes in memcli's state folder."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from memcli import settings
from memcli.core.checks.framework import Case, Check

CHECK = "disk"
LOOKED = "disk space"
CODES: tuple[str, ...] = ()
KINDS: tuple[str, ...] = ()
LEAST = 16 << 20
"""Below so many free bytes an agent's own next save may fail."""


class Room(NamedTuple):
    """The file system of a folder: `free` bytes for us, whether it can be written to at all."""

    device: int
    free: int
    writable: bool


def look(case: Case) -> Iterator[Check]:
    """A line for each place that lacks room."""
    damaged = {
        one.path for findings in case.told.values() for one in findings if one.repair in ("safe", "lossy", "flag")
    }
    sizes = sorted((case.sizes[ref.path] for path, ref in case.refs.items() if path in damaged), reverse=True)
    need = sum(sizes) if sizes else max((case.sizes.get(ref.path, 0) for ref in case.refs.values()), default=0)
    place, state = room(case.workspace.root), room(settings.state_folder())
    shared = place is not None and state is not None and place.device == state.device
    if place is not None:
        yield from _short(case.workspace.root, "the workspace", place, need * (2 if shared else 1))
    if state is not None and not shared:
        yield from _short(settings.state_folder(), "memcli's undo copies", state, need)


def room(folder: str) -> Room | None:
    """What is known of the file system of a folder, or of the nearest one above it that exists."""
    while not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    try:
        found = os.statvfs(folder)
        return Room(os.stat(folder).st_dev, found.f_bavail * found.f_frsize, not found.f_flag & os.ST_RDONLY)
    except OSError:
        return None


def _short(folder: str, what: str, place: Room, need: int) -> Iterator[Check]:
    command = shlex.join(["df", "-h", folder])
    if not place.writable:
        yield Check(
            CHECK, "warning", f"the file system of {what} is read-only: nothing can be mended there", 0, command
        )
    elif place.free < max(need, LEAST):
        state = "error" if place.free < LEAST else "warning"
        message = f"{place.free:,} bytes are free where {what} {'are' if what.endswith('s') else 'is'}"
        message += f"; a repair needs up to {need:,}" if need > place.free else ", and the agent rewrites whole files"
        yield Check(CHECK, state, message, place.free, command)
