"""Putting new bytes in the place of old ones: whole or not at all, and never over something that was not read.

The new content is written beside the file and exchanged with it in one step; what comes out is compared with what had
been read, and put back when it differs, so that nothing an agent saved in between is lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from memcli.storage import system
from memcli.storage.parts import Mtime
from memcli.storage.reaching import Folders
from memcli.storage.step import Step
from memcli.storage.steps import Create, Remove, Rewrite
from memcli.storage.together import Group
from memcli.storage.versions import Version, read_version

__all__ = ["Mtime", "Version", "create", "new_token", "read_version", "remove", "replace"]


def replace(
    path: str,
    expected: Version,
    new: bytes | Iterable[bytes],
    *,
    root: str,
    mtime: Mtime = "now",
    mode: int | None = None,
) -> Version:
    """Put `new` in the place of the file at `path`, which must still have the bytes of `expected`; the new version.

    Mode, owner and extended attributes stay (`mode`: other permission bits). A symlink is followed once and must
    lead to a file below the folder `root`. The same bytes again change nothing. Raises RefusedForSafety when the file
    changed or is odd (hard links, not a regular file, another user's, outside of `root`), CannotRead when it is not
    there, CannotWrite when the system refused; then the old content is untouched, or the sentence says that the new
    one is in place. Source: cli-contract "Writing" step 3.
    """
    with Folders() as folders:
        place = folders.place(path, root)
        step = Rewrite(place, new_token(), expected, pieces=new, mtime=mtime, mode=mode)
        _carry_out(step, folders)
        return step.made()


def create(path: str, data: bytes | Iterable[bytes], *, root: str, mtime: Mtime = "now", mode: int = 0o600) -> Version:
    """Write a new file, whole or not at all; never over one that exists (RefusedForSafety)."""
    with Folders() as folders:
        step = Create(folders.place(path, root), new_token(), pieces=data, mtime=mtime, mode=mode)
        _carry_out(step, folders)
        return step.made()


def remove(path: str, expected: Version, *, root: str) -> None:
    """Remove the file at `path` if it still has the bytes of `expected`; else it stays (RefusedForSafety)."""
    with Folders() as folders:
        _carry_out(Remove(folders.place(path, root), new_token(), expected), folders)


def new_token() -> str:
    """A random name for the parts of one step."""
    return os.urandom(8).hex()


def _carry_out(step: Step, folders: Folders) -> None:
    group = Group(folders)
    group.steps = [step]
    group.prepare()
    try:
        if step.unchanged:
            group.leave_out([step])
            return
        with system.uninterrupted():
            group.swap()
            group.finish()
    except BaseException:
        group.discard()  # of what does not stand
        raise
