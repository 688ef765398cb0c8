"""New repositories, whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from memcli.storage import state, system
from memcli.storage.git_process import NAME, output

BRANCH = "main"
PRIVATE = ("--shared=0600",)


def make(
    part: str, at: str, *, bare: bool = False, settings: Sequence[tuple[str, str]] = (), ignored: Sequence[str] = ()
) -> None:
    """Make a repository without a commit at the path `at`: a .git, or a bare one that nobody else can read. It is made in the
    folder `part`, beside `at` and not there yet. `ignored` is what it never shows or adds. Raises CannotRead when git does
    not, OSError, FileExistsError when something is at `at`."""
    made = os.path.join(part, NAME)
    try:
        system.mkdir(part, 0o700)
        words = ["-c", f"init.defaultBranch={BRANCH}", "init", "--quiet", "--template=", *(PRIVATE if bare else ())]
        output(part, words)
        for key, value in (*settings, *((("core.bare", "true"),) if bare else ())):
            output(part, ["config", key, value])
        if ignored:
            system.mkdir(os.path.join(made, "info"), 0o777)
            lines = "".join(f"{line}\n" for line in ignored)
            state.write_file(os.path.join(made, "info", "exclude"), os.fsencode(lines))
        if os.path.lexists(at):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), at)
        system.rename(made, at)
        state.sync_folder(os.path.dirname(at))
    finally:
        if os.path.isdir(part):
            state.remove_tree(part)
