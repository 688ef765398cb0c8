"""Where exports are written: never into an agent's folder, never over a file without being told to, for their owner only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from memcli.core.discovering import usual_homes
from memcli.errors import UsageError
from memcli.formats import load
from memcli.model import SessionRef, Workspace
from memcli.storage import atomic, state, system
from memcli.storage.reaching import refused


def check(paths: Sequence[str], refs: Sequence[SessionRef], *, force: bool, option: str = "-o") -> None:
    """Raise UsageError when one of the files must not be written: it lies in an agent's folder, is a session that is
    exported, or is there already and `force` does not allow to replace it."""
    sources = {os.path.realpath(ref.path) for ref in refs}
    folders = _kept(list(dict.fromkeys(ref.workspace for ref in refs)))
    for path in paths:
        real = os.path.realpath(path)
        inside = next(
            (folder for folder in folders if real == folder or real.startswith(folder.rstrip("/") + "/")), None
        )
        if inside is not None or real in sources:
            where = (
                f"in {inside}, a folder of the agent" if inside is not None else "in the place of the session itself"
            )
            raise UsageError(
                f"{path} would be written {where}; name another place with {option}. Nothing was written.", path=path
            )
        if os.path.isdir(path):
            raise UsageError(f"{path} is a folder. Nothing was written.", path=path)
        if not force and os.path.lexists(path):
            raise UsageError(f"{path} exists already; --force replaces it. Nothing was written.", path=path)


def make_folder(path: str) -> None:
    """Make the folder for exports, 0700; one that is there stays as it is. Raises UsageError, CannotWrite."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(os.path.abspath(path))
    if os.path.lexists(path) or not os.path.isdir(above):
        what = path if os.path.lexists(path) else above
        raise UsageError(f"{what} is no folder. Nothing was written.", path=path)
    try:
        state.make_folder(os.path.abspath(path))
    except OSError as error:
        raise refused(path, error) from error


def save(path: str, pieces: Iterable[bytes], *, force: bool) -> None:
    """Write a file, 0600, whole or not at all; over one that is there only with `force`. Raises CannotWrite, UsageError,
    and what `pieces` raise."""
    root = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(root):
        raise UsageError(f"{root} is no folder. Nothing was written.", path=path)
    if force and os.path.lexists(path):
        _replace(path, pieces, root)
    else:
        atomic.create(path, pieces, root=root, mode=0o600)


def _replace(path: str, pieces: Iterable[bytes], root: str) -> None:
    """What is replaced may be anything that has this name (a link to elsewhere): the name gets the new file."""
    part = os.path.join(root, f".memcli-{atomic.new_token()}.export")
    try:
        atomic.create(part, pieces, root=root, mode=0o600)
        try:
            system.rename(part, path)
        except BaseException:
            system.unlink(part)
            raise
    except OSError as error:
        raise refused(path, error) from error


def _kept(workspaces: Sequence[Workspace]) -> list[str]:
    """The folders in which nothing is written: those of the workspaces, and the usual homes of every agent."""
    found = [os.path.realpath(home) for home in usual_homes()]
    for workspace in workspaces:
        loose = workspace.files and workspace.sessions in ((), (workspace.root,)) and not workspace.memory
        known = load(workspace.agent).layout.homes("") or workspace.era
        if known and not loose:  # a file by itself in somebody's downloads makes no agent's folder of them
            found += [os.path.realpath(folder) for folder in (workspace.root, *workspace.sessions, *workspace.memory)]
    return list(dict.fromkeys(found))
