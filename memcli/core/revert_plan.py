"""What a revert comes to: a change taken out of the last commit and of the files on disk, or an older state of them.

The change is undone twice (unchanging.py): in the last commit, for the new one, and in the files on disk, so that what a person
wrote there and did not commit stays, and stays uncommitted.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import revert_target, rewinding
from memcli.core.memory_places import memory_files
from memcli.core.naming import shown
from memcli.core.revision_log import Entry
from memcli.core.revisions import Repository, Tracked, choose
from memcli.core.rewinding import Rewind
from memcli.core.unchanging import Conflict, unchange, unchange_through
from memcli.errors import CannotWrite, NothingToRevert, UsageError
from memcli.storage import git_history, git_writing
from memcli.storage.git_writing import Keep
from memcli.storage.versions import Version, read_whole

SHORT = 8
"""Digits by which a commit is named."""
STEPS = 400
"""So many commits of a file are gone through one by one."""


class Wish(NamedTuple):
    """What is asked for: to take back `commit` ("": the newest Dream that stands), or (`to`) to bring the state of a commit back;
    of one `file` only; `rewind` Dream's position as well."""

    commit: str = ""
    to: str = ""
    file: str = ""
    rewind: bool = False


class Change(NamedTuple):
    """One memory file: on disk `old` becomes `new` (None: no file), in the repository `held` becomes `kept`. `version` is what
    was read from the disk."""

    file: Tracked
    old: bytes | None
    new: bytes | None
    version: Version | None
    held: bytes | None
    kept: bytes | None


class Clash(NamedTuple):
    """A conflict in a file: on disk, or (`committed`) in its last commit."""

    file: Tracked
    committed: bool
    conflict: Conflict


class Plan(NamedTuple):
    """What would be done. `target` is the commit that is taken back or, with `restores`, the one whose state comes back; `last`
    is the one that is checked out. With `clashes` nothing can be done. `others` are files that the commit changed as well and
    that are no memory."""

    repository: Repository
    target: Entry
    restores: bool
    last: str
    changes: tuple[Change, ...]
    clashes: tuple[Clash, ...]
    rewind: Rewind | None
    others: tuple[str, ...]

    @property
    def keep(self) -> Keep:
        """The repository as it is written to."""
        return Keep(self.repository.folder, self.repository.tree)

    @property
    def by_hand(self) -> list[Change]:
        """The files that get a commit of what stands in them and in no commit, before they change."""
        return self._differing if self.restores else []

    @property
    def loose(self) -> list[Change]:
        """The files in which something stands that is in no commit, and stays so."""
        return [] if self.restores else self._differing

    @property
    def _differing(self) -> list[Change]:
        return [one for one in self.changes if one.old is not None and not _alike(one.old, one.held)]


def plan(wish: Wish, repositories: Sequence[Repository]) -> Plan:
    """What a wish comes to. Raises UsageError, UnknownRevision, NoHistory, CannotRead, and NothingToRevert where nothing of the
    change is in the files any more."""
    name = None
    if wish.file:
        one, name = choose(wish.file, repositories)
        repositories = [one]
        if name not in {file.name for file in one.files}:
            raise UsageError(f"{wish.file} is no memory file; only these are reverted. Nothing was changed.")
    if wish.to:
        made = _restoring(revert_target.state(wish.to, repositories), name)
    else:
        entry = (
            revert_target.named(wish.commit, repositories) if wish.commit else revert_target.newest(repositories, name)
        )
        made = _undoing(entry, name)
    if made.clashes or not wish.rewind:
        return made
    back = rewinding.to_state(made.target) if made.restores else rewinding.to_before(made.target)
    return made._replace(rewind=back)


def _undoing(entry: Entry, name: str | None) -> Plan:
    """The plan that takes back what a commit did to memory files, or to that of this name."""
    one, commit = entry.repository, entry.commit
    names = revert_target.touched(entry)
    if not names:
        other = ", ".join(change.name for change in entry.files[:8]) or "no file at all"
        raise NothingToRevert(
            f"{commit.id[:SHORT]} changed no memory file ({other}), so there is nothing of it to be reverted.",
            commit=commit.id,
        )
    if name is not None and name not in names:
        raise NothingToRevert(f"{commit.id[:SHORT]} did not change {one.show(name)}.", commit=commit.id)
    apart = [] if name is not None else _apart(entry)
    if apart:
        raise CannotWrite(
            f"{commit.id[:SHORT]} changed {', '.join(apart)} as well, which lies in a repository of its own by now. Nothing was "
            "changed; --file reverts the others one by one.",
            path=one.folder,
            why="nested",
        )
    files = [file for file in one.files if file.name in names and name in (None, file.name)]
    parent = next(iter(commit.parents), None)
    before = _held(one, parent, files)
    after = _held(one, commit.id, files)
    last, held = _last(one, files)
    changes, clashes = [], []
    for file, was, became, now in zip(files, before, after, held, strict=True):
        old, version = read_whole(file.path)
        on_disk, in_git = unchange(was, became, old), unchange(was, became, now)
        if on_disk.conflicts or in_git.conflicts:
            since = [became, *_since(one, commit.id, file.name)]
            on_disk, in_git = unchange_through(was, [*since, old]), unchange_through(was, since)
        changes.append(Change(file, old, on_disk.text, version, now, in_git.text))
        clashes += [Clash(file, False, conflict) for conflict in on_disk.conflicts]
        if not on_disk.conflicts:
            clashes += [Clash(file, True, conflict) for conflict in in_git.conflicts]
    if not clashes and all(change.new == change.old and change.kept == change.held for change in changes):
        raise NothingToRevert(
            f"Nothing of {commit.id[:SHORT]} is in {', '.join(file.shown for file in files)} any more.",
            commit=commit.id,
        )
    memory = {file.name for file in one.files}
    others = tuple(one.show(change.name) for change in commit.changes if change.name not in memory)
    return Plan(one, entry, False, last, tuple(changes), tuple(clashes), None, others)


def _apart(entry: Entry) -> list[str]:
    """The memory files that a commit changed and that are in another repository now."""
    one = entry.repository
    changed = {change.name for change in entry.commit.changes} - {file.name for file in one.files}
    tree = os.path.realpath(one.tree)
    found = []
    for memory in memory_files(one.workspace) if changed else ():
        real = os.path.join(os.path.realpath(os.path.dirname(memory.path)), os.path.basename(memory.path))
        if os.path.relpath(real, tree) in changed:
            found.append(shown(one.workspace, memory.path))
    return found


def _restoring(entry: Entry, name: str | None) -> Plan:
    """The plan that brings back what the memory files were in a commit."""
    one = entry.repository
    files = [file for file in one.files if name in (None, file.name)]
    last, held = _last(one, files)
    changes = []
    for file, then, now in zip(files, _held(one, entry.commit.id, files), held, strict=True):
        if then is None and now is None:
            continue  # it was never in there: it is not part of that state, nor would anything of it be kept
        old, version = read_whole(file.path)
        changes.append(Change(file, old, _as_on_disk(then, now, old), version, now, then))
    if all(change.new == change.old and change.kept == change.held for change in changes):
        names = ", ".join(change.file.shown for change in changes) or one.shown
        raise NothingToRevert(f"{names} is as it was in {entry.commit.id[:SHORT]}.", commit=entry.commit.id)
    return Plan(one, entry, True, last, tuple(changes), (), None, ())


def _held(repository: Repository, commit: str | None, files: Sequence[Tracked]) -> list[bytes | None]:
    """What the files held in a commit."""
    if commit is None:
        return [None] * len(files)
    git_writing.entries(Keep(repository.folder, repository.tree), commit, [file.name for file in files])
    return git_history.contents(repository.folder, [(commit, file.name) for file in files])


def _since(repository: Repository, commit: str, name: str) -> list[bytes | None]:
    """What a file held in the later commits that changed it, the oldest first and the last in any case."""
    ids = [one.id for one in git_history.log(repository.folder, STEPS, [name])]
    later = ids[: ids.index(commit)] if commit in ids else []
    last = git_history.head(repository.folder)
    places = [(id, name) for id in reversed(later)] or ([(last, name)] if last else [])
    return git_history.contents(repository.folder, places)


def _last(repository: Repository, files: Sequence[Tracked]) -> tuple[str, list[bytes | None]]:
    """The commit that is checked out, and what the files hold there."""
    last = git_history.head(repository.folder)
    return last or "", _held(repository, last, files)


def _alike(one: bytes, held: bytes | None) -> bool:
    """Whether a file is what the commit has; a checkout may have ended the lines in CR LF."""
    return held is not None and (one == held or (b"\r\n" not in held and one.replace(b"\r\n", b"\n") == held))


def _as_on_disk(then: bytes | None, now: bytes | None, old: bytes | None) -> bytes | None:
    """An older version as the checkout would have it that ended the lines of the present one in CR LF."""
    if then is None or old is None or old == now or not _alike(old, now) or b"\r\n" in then:
        return then
    return then.replace(b"\n", b"\r\n")
