"""Which repository a memory file is committed to: the agent's own, or one that memcli keeps where the agent has none."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from memcli.core import guarding, sealing
from memcli.core.keepers import BARE, MARK, bare_of, folders, owned, versioned
from memcli.core.keepers import place_of as place_of
from memcli.core.memory_places import memory_files
from memcli.core.naming import shown
from memcli.errors import CannotRead, CannotWrite, RefusedForSafety, UsageError
from memcli.formats.facets import Versioned
from memcli.model import Workspace
from memcli.storage import git, git_history, git_making, state, undo
from memcli.storage.atomic import new_token
from memcli.storage.git_writing import FOUND, Keep
from memcli.storage.lines import MAX_LINE
from memcli.storage.operation import Operation
from memcli.storage.parts import is_part, part_name
from memcli.storage.reaching import refused
from memcli.storage.reading import open_regular
from memcli.storage.versions import read_version

IGNORE = ".gitignore"


def keep_of(workspace: Workspace, path: str, *, make: bool) -> Keep | None:
    """The repository that the memory file at `path` is committed to: the agent's own where there is one for it, else memcli's,
    which is made when it is missing (`make`). None where there is none. Raises CannotRead, CannotWrite when it cannot be made."""
    real = _real(path)
    nearest = max((folder for folder in folders(workspace) if real.startswith(folder + os.sep)), key=len, default="")
    for folder in git.around(path):
        if owned(workspace, folder) and (
            folder == nearest or not nearest or _has(folder, os.path.relpath(real, folder))
        ):
            return Keep(folder, folder)
    tree = os.path.realpath(workspace.root)
    if not real.startswith(tree.rstrip(os.sep) + os.sep):
        return None
    kept = bare_of(workspace)
    if kept is None and make:
        kept = _made(workspace)
    return None if kept is None else Keep(kept, tree)


def init(workspace: Workspace, *, command: Sequence[str]) -> Iterator[str]:
    """Make the repositories of a workspace's memory in place, as its agent would, each with a commit of what is there; sentences
    on each. What is made is not undone. Raises UsageError where there is no memory, RefusedForSafety inside the repository of
    somebody else, CannotRead, CannotWrite."""
    folders = versioned(workspace) or [_own_way(workspace)]
    folders.sort(key=lambda one: -len(one.folder))  # the outer one points to those inside it
    known = {os.path.realpath(one.folder) for one in folders}
    for one in folders:
        around = [folder for folder in git.around(os.path.join(one.folder, git.NAME)) if folder not in known]
        if around:
            raise RefusedForSafety(
                f"{one.folder} lies in the repository {around[0]}, and one inside another gets in its way. Nothing was "
                "made; without one in place, memcli keeps its commits in its state folder.",
                path=one.folder,
                why="nested",
            )
    with undo.begin(sealing.store(workspace), "init-git", command=command, agent=workspace.agent) as operation:
        made = [one for one in folders if _begun(one, workspace)]
        for one in made:
            _commit(operation, workspace, one)
        record = operation.commit()
    commits = {os.path.realpath(one.folder): one for one in record.commits}
    for one in folders:
        place, commit = shown(workspace, one.folder), commits.get(os.path.realpath(one.folder))
        if one not in made:
            there = os.path.lexists(os.path.join(one.folder, git.NAME))
            yield (
                f"{place} has a repository already." if there else f"{place} has no memory yet, and got no repository."
            )
        elif commit is not None and commit.id:
            yield f"{place} is a repository now; its first commit is {commit.id[:8]}."
        else:
            why = commit.why if commit else "there is nothing to commit"
            yield f"{place} is a repository now, without a commit: {why}."


def _has(folder: str, name: str) -> bool:
    try:
        return bool(git.committed(folder, [name]))
    except CannotRead:
        return False


def _own_way(workspace: Workspace) -> Versioned:
    """Where the agent keeps nothing under git: its root, with the memory files alone."""
    root = os.path.realpath(workspace.root)
    names = [os.path.relpath(_real(one.path), root) for one in memory_files(workspace)]
    inside = tuple(dict.fromkeys(name for name in names if not name.startswith(os.pardir)))
    if not inside:
        raise UsageError(f"No long-term memory belongs to {workspace.shown or workspace.root}. Nothing was made.")
    return Versioned(workspace.root, inside, settings=((MARK, "true"),))


def _begun(one: Versioned, workspace: Workspace) -> bool:
    """Make the repository, if it is missing and there is something to commit."""
    at = os.path.join(one.folder, git.NAME)
    for name in os.listdir(one.folder):
        path = os.path.join(one.folder, name)
        if is_part(name) and os.path.isdir(path):  # of a memcli that was killed while it made one
            state.remove_tree(path)
    if not _there(one):
        return False
    if os.path.lexists(at):
        return git_history.head(one.folder) is None  # one without a commit is as good as none
    marked = (MARK, "true") in one.settings
    _make(os.path.join(one.folder, part_name(new_token())), at, one.settings, _only(one.files) if marked else ())
    return True


def _commit(operation: Operation, workspace: Workspace, one: Versioned) -> None:
    contents: dict[str, bytes | None] = {name: _content(os.path.join(one.folder, name)) for name in _there(one)}
    if one.ignored:
        path = os.path.join(one.folder, IGNORE)
        root = guarding.root_of(workspace, path)
        old = _content(path) if os.path.lexists(path) else None
        lines = old.decode("utf-8", "surrogateescape").splitlines() if old else []
        new = [line for line in one.ignored if line not in lines]
        text = (old.rstrip(b"\n") + b"\n" if old else b"") + "".join(f"{line}\n" for line in new).encode()
        if old is None:
            operation.create(path, text, root=root, mode=0o644)
        elif new:
            operation.rewrite(path, read_version(path), text, root=root)
        contents[IGNORE] = text if new else old
    operation.version(Keep(one.folder, one.folder), contents, one.first or FOUND, seconds=time.time())


def _there(one: Versioned) -> list[str]:
    return [name for name in one.files if os.path.isfile(os.path.join(one.folder, name))]


def _only(names: Sequence[str]) -> list[str]:
    """Lines for a list of what is ignored that leave just these files."""
    found = ["/*"]
    for name in names:
        parts = name.split(os.sep)
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            found += [line for line in (f"!/{folder}/", f"/{folder}/*") if line not in found]
        found.append(f"!/{name}")
    return found


def _made(workspace: Workspace) -> str:
    place = state.place(sealing.store(workspace), "git")
    at = os.path.join(place, BARE)
    _make(os.path.join(place, part_name(new_token())), at, (), (), bare=True)
    return at


def _make(
    part: str, at: str, settings: Sequence[tuple[str, str]], ignored: Sequence[str], *, bare: bool = False
) -> None:
    try:
        git_making.make(part, at, bare=bare, settings=settings, ignored=ignored)
    except FileExistsError:
        return  # another memcli was faster
    except CannotRead as error:
        raise CannotWrite(f"No repository could be made at {at}: {error.facts['why']}.", **error.facts) from error
    except OSError as error:
        raise refused(at, error) from error


def _content(path: str) -> bytes:
    fd = open_regular(path)
    try:
        return os.pread(fd, MAX_LINE, 0)
    finally:
        os.close(fd)


def _real(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
