"""The git repositories that an agent keeps its memory in, as the classes of workspaces look at them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import bundle_manifest, holding
from memcli.damage.framework import VersionState
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.formats.facets import Versioned
from memcli.model import Workspace
from memcli.storage import git
from memcli.storage.lines import MAX_LINE
from memcli.storage.reading import open_regular

ABSENT = "git is not installed"
"""Why nothing can be said of any repository."""


def states(workspace: Workspace) -> list[VersionState]:
    """What there is to say of each folder that the agent keeps under git. Changes nothing; git runs nothing of the user's."""
    form = load(workspace.agent)
    found = form.memory.versioned(workspace) if form.memory and not workspace.files else []
    return [state for one in found for state in _state(workspace, one)]


def unread(states: Sequence[VersionState]) -> list[str]:
    """What could not be looked at, in clauses."""
    return list(dict.fromkeys(f"the versions of memory files: {one.why}" for one in states if one.why == ABSENT))


def _state(workspace: Workspace, one: Versioned) -> Iterator[VersionState]:
    own = os.path.lexists(os.path.join(one.folder, git.NAME))
    if not own and not one.expected:
        return
    if workspace.bundled:
        around = bundle_manifest.around(workspace, one.folder)
    else:
        around = "" if holding.is_copy(workspace) else _around(one.folder)
    if not own:
        yield VersionState(one.folder, "none", True, around)
        return
    try:
        ids = git.committed(one.folder, one.files)
        nested = tuple((folder, _has_commit(folder)) for folder in one.inside if _is_repository(folder))
    except CannotRead as error:
        why = str(error.facts["why"])
        yield VersionState(one.folder, "there" if why == ABSENT else "broken", one.expected, around, why=why)
        return
    changed = tuple(_changed(one, ids)) if ids is not None else ()
    yield VersionState(one.folder, "there", one.expected, around, changed, nested)


def _around(folder: str) -> str:
    """The nearest repository above a folder."""
    own = os.path.realpath(folder)
    return next((one for one in git.around(os.path.join(folder, git.NAME)) if one != own), "")


def _changed(one: Versioned, ids: dict[str, str]) -> Iterator[str]:
    """The files that are there and not as the last commit has them, and those that are gone."""
    for name in one.files:
        path = os.path.join(one.folder, name)
        raw = _content(path)
        if raw is None:
            if name in ids and not os.path.lexists(path):
                yield path
        elif name not in ids or not git.is_version(raw, ids[name]):
            yield path


def _content(path: str) -> bytes | None:
    try:
        fd = open_regular(path)
    except CannotRead:
        return None
    try:
        return os.pread(fd, MAX_LINE, 0)
    except OSError:
        return None
    finally:
        os.close(fd)


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, git.NAME))


def _has_commit(folder: str) -> bool:
    try:
        return git.committed(folder, ["."]) is not None
    except CannotRead:
        return False
