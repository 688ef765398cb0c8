"""Files of other generations of the agent, which the one in use does not read or has yet to bring over."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check
from memcli.formats import habits
from memcli.formats.facets import Generation

CHECK = "generations"
LOOKED = "the agent's generation"
CODES: tuple[str, ...] = ()
KINDS: tuple[str, ...] = ()
DATABASES = (".db", ".bak", ".sqlite")


def look(case: Case) -> Iterator[Check]:
    """A line for each kind of file."""
    for found in habits(case.workspace.agent).generations(case.workspace):
        state = "warning" if found.lost else "info"
        yield Check(CHECK, state, found.what, 1, _showing(case, found), (f"{found.era}: {found.path}.",))


def _showing(case: Case, found: Generation) -> str:
    """What shows what is in it."""
    if os.path.isdir(found.path):
        return shlex.join(["memcli", "sessions", "ls", "-W", found.path])
    if found.path.endswith(DATABASES):
        return shlex.join(["sqlite3", "-readonly", found.path, ".tables"])
    return shlex.join(["less", found.path])
