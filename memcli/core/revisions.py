"""The git repositories that memory files are kept in, and which of their commits and files a user means."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli import times
from memcli.core import keepers, naming
from memcli.core.memory_places import memory_files
from memcli.errors import NoHistory, UnknownRevision, UsageError
from memcli.formats import load, longterm
from memcli.model import Workspace
from memcli.storage import git, git_history
from memcli.storage.git_history import Commit
from memcli.storage.lines import MAX_LINE
from memcli.storage.reading import open_regular

SHOWN = 8
"""How many names an error lists."""


class Tracked(NamedTuple):
    """A memory file: `path` on disk, `name` relative to the work tree of its repository, `shown` how it is called in output."""

    path: str
    name: str
    shown: str


class Repository(NamedTuple):
    """A repository with memory files. `own`: it is the agent's for that purpose, or memcli's; else the folder of the memory lies
    in somebody else's. `cursors` are the names of the files that say how far Dream has come. `beside` is the folder whose files a
    bare repository has, "" for one with a work tree of its own: that is `folder` then."""

    folder: str
    own: bool
    workspace: Workspace
    files: tuple[Tracked, ...]
    cursors: tuple[str, ...] = ()
    beside: str = ""

    @property
    def tree(self) -> str:
        """The folder that names of files are relative to."""
        return self.beside or self.folder

    @property
    def shown(self) -> str:
        """How the folder is called in output."""
        return self.folder if self.beside else naming.shown(self.workspace, self.folder)

    @property
    def scope(self) -> tuple[str, ...]:
        """The names to which its history is limited, () for all of it."""
        return () if self.own else tuple(file.name for file in self.files)

    def show(self, name: str) -> str:
        """How a file of it is called in output."""
        found = (file.shown for file in self.files if file.name == name)
        return next(found, os.path.join(naming.shown(self.workspace, self.tree), name))

    def notes(self) -> list[str]:
        """What a reader of the history should know, in sentences."""
        found = []
        if self.beside:
            found.append(f"The memory has no repository of its own: memcli keeps its history in {self.folder}.")
        if not self.own:
            found.append(f"The memory has no repository of its own: what is shown is in {self.shown}.")
        if git_history.is_shallow(self.folder):
            found.append(f"{self.shown} is a shallow clone: its history begins in the middle.")
        if git_history.detached(self.folder):
            found.append(
                f"In {self.shown} no branch is checked out (detached HEAD): commits of branches are not shown."
            )
        return found


def repositories(workspaces: Sequence[Workspace]) -> list[Repository]:
    """The repositories of the memory files of workspaces, each once. A file is in the nearest one around it, which must have it
    where it is not the agent's own, and in memcli's where that has it: these come last. Raises NoHistory, with the reasons,
    where there is none."""
    found: dict[str, Repository] = {}
    strangers: dict[str, list[str]] = {}
    kept: list[Repository] = []
    for workspace in workspaces:
        form = load(workspace.agent)
        owned: set[str] = set()
        kept += _beside(workspace)
        for memory in memory_files(workspace):
            real = os.path.join(os.path.realpath(os.path.dirname(memory.path)), os.path.basename(memory.path))
            around = git.around(memory.path)
            if not around:
                continue
            folder = around[0]
            if folder not in owned and keepers.owned(workspace, folder):
                owned.add(folder)
            tracked = Tracked(memory.path, os.path.relpath(real, folder), naming.shown(workspace, memory.path))
            if folder not in owned and not _has(folder, tracked.name):
                strangers.setdefault(folder, []).append(tracked.shown)
                continue
            before = found.get(folder) or Repository(folder, folder in owned, workspace, ())
            if tracked.name not in {file.name for file in before.files}:
                found[folder] = before._replace(files=(*before.files, tracked))
        journals = form.journal.files(workspace) if form.journal and not workspace.files else []
        for path in {journal.processed for journal in journals if journal.processed}:
            folder = next(iter(git.around(path)), "")
            if folder in found and folder in owned:
                name = os.path.relpath(
                    os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), folder
                )
                one = found[folder]
                found[folder] = one._replace(cursors=tuple(sorted({*one.cursors, name})))
    every = [*found.values(), *kept]
    if not every:
        raise NoHistory(_none(workspaces, strangers))
    return every


def choose(argument: str, repositories: Sequence[Repository]) -> tuple[Repository, str]:
    """The repository and the name in it of the file that `argument` means: a path, or the end of the path of one memory file,
    upper and lower case not told apart. Raises UsageError."""
    path = os.path.abspath(os.path.expanduser(argument))
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    for one in repositories:
        for file in one.files:
            if argument == file.shown or real == os.path.join(one.tree, file.name):
                return one, file.name
    end = argument.casefold().strip("/")
    matches = [
        (one, file) for one in repositories for file in one.files if f"/{file.shown}".casefold().endswith(f"/{end}")
    ]
    there = [match for match in matches if os.path.lexists(match[1].path)]
    if len(matches) > 1 and len(there) == 1:
        matches = there
    if len({file.path for _, file in matches}) == 1:  # one that the agent began to keep later is in two repositories
        return matches[0][0], matches[0][1].name
    if not matches and (os.sep in argument or os.path.lexists(path)):
        for one in repositories:  # any other file that the agent versions with its memory
            if one.own and real.startswith(one.tree + os.sep):
                return one, os.path.relpath(real, one.tree)
    names = [file.shown for _, file in matches] or [file.shown for one in repositories for file in one.files]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    said = "can mean" if matches else "is no memory file with a history; there are"
    raise UsageError(f"{argument!r} {said} {', '.join(names[:SHOWN])}{more}. Name one by its path.")


def commit_of(argument: str, repository: Repository) -> str | None:
    """The id of the commit that `argument` means in a repository, None for none."""
    found = git_history.resolve(repository.folder, argument)
    if found is None and re.fullmatch(_TWICE, argument):
        # agents of before 2026-07 printed the hexadecimal digits of the digits
        found = git_history.resolve(repository.folder, bytes.fromhex(argument).decode("ascii"))
    return found


def commits_of(arguments: Sequence[str], repositories: Sequence[Repository]) -> tuple[Repository, list[str]]:
    """The repository that has all these commits, and their ids. Raises UnknownRevision."""
    unknown = ""
    for one in repositories:
        found = [commit_of(argument, one) for argument in arguments]
        if None not in found:
            return one, [id for id in found if id is not None]
        unknown = unknown or arguments[found.index(None)]
    raise unknown_revision(unknown, repositories)


def unknown_revision(argument: str, repositories: Sequence[Repository]) -> UnknownRevision:
    """The error for a name that no repository knows."""
    places = ", ".join(one.shown for one in repositories[:SHOWN])
    return UnknownRevision(
        f"{argument!r} is no commit in {places}, or the beginning of several; 'memcli log' lists them.", commit=argument
    )


def moment(argument: str, tz: str = "") -> float | None:
    """The time that an --at argument means, in seconds since the epoch (a day stands for its end); None for no time."""
    try:
        return times.until(argument, time.time(), tz)
    except UsageError:
        return None


def kind_of(commit: Commit, workspace: Workspace) -> tuple[str, str]:
    """What kind of commit it is by the agent's own words ("init", "dream", "dream-user", "revert"; "memcli"; "" for somebody
    else's), and the time that its first line tells, "" for none."""
    for kind, pattern in longterm(workspace.agent).SUBJECTS:
        found = re.fullmatch(pattern, commit.subject)
        if found:
            return kind, found.groupdict().get("date") or ""
    own = any(name.startswith("Memcli-") for name in commit.trailers)
    return ("memcli" if own or commit.subject.startswith("memcli ") else ""), ""


def content(path: str) -> bytes | None:
    """What a memory file holds on disk; None where there is none. Raises CannotRead for one that is there."""
    if not os.path.lexists(path):
        return None
    fd = open_regular(path)
    try:
        return os.pread(fd, MAX_LINE, 0)
    finally:
        os.close(fd)


def _beside(workspace: Workspace) -> list[Repository]:
    """memcli's own repository of a workspace, with the files that it has or had; [] where there is none, or nothing is in it."""
    folder, tree = keepers.bare_of(workspace), os.path.realpath(workspace.root)
    if folder is None or workspace.files:
        return []
    inside = {}
    for memory in memory_files(workspace):
        real = os.path.join(os.path.realpath(os.path.dirname(memory.path)), os.path.basename(memory.path))
        name = os.path.relpath(real, tree)
        if not name.startswith(os.pardir):
            inside[name] = Tracked(memory.path, name, naming.shown(workspace, memory.path))
    there = git.committed(folder, list(inside)) if inside else None
    if there is None:
        return []
    files = tuple(file for name, file in inside.items() if name in there or git_history.log(folder, 1, [name]))
    return [Repository(folder, True, workspace, files, beside=tree)] if files else []


def _has(folder: str, name: str) -> bool:
    return bool(git.committed(folder, [name]))


def _none(workspaces: Sequence[Workspace], strangers: dict[str, list[str]]) -> str:
    places = ", ".join(dict.fromkeys(one.shown or one.root for one in workspaces[:SHOWN]))
    if strangers:
        [folder, *_] = strangers
        return (
            f"The memory in {places} has no history: it lies in the repository {folder}, which has none of its files."
        )
    if not any(memory_files(workspace) for workspace in workspaces):
        return f"There is no long-term memory of an agent in {places}, so it has no history."
    return f"The memory in {places} has no git repository, so it has no history: earlier states of it are nowhere."


_TWICE = "(?:3[0-9]|6[1-6]){4,}"
