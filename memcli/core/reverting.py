"""Taking back what a commit did to memory, or bringing an older state back: as a new commit, with hand edits kept.

Never by a reset or a checkout. The change is undone twice (unchanging.py): in the last commit, for the new one, and in the files
on disk, so that what a person wrote there and did not commit stays, and stays uncommitted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, inbox, positions, revert_target, rewinding, sealing
from memcli.core.memory_places import memory_files
from memcli.core.naming import shown
from memcli.core.provenance import OPERATION
from memcli.core.revert_target import RESTORES, REVERTS
from memcli.core.revision_log import Entry
from memcli.core.revisions import Repository, Tracked, choose
from memcli.core.rewinding import CURSOR, Rewind
from memcli.core.unchanging import Conflict, unchange, unchange_through
from memcli.errors import CannotWrite, NothingToRevert, RefusedForSafety, UsageError
from memcli.formats import longterm
from memcli.storage import git_history, git_writing, undo
from memcli.storage.git_writing import Keep
from memcli.storage.records import Committed, Record
from memcli.storage.undo import Operation
from memcli.storage.versions import Version, read_whole

SHORT = 8
"""Digits by which a commit is named."""
RESTORED = "memcli revert: back to {id}"
STEPS = 400
"""So many commits of a file are gone through one by one."""
TRIES = 4
"""So often the files are looked at anew when somebody wrote one meanwhile."""


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


class Reverted(NamedTuple):
    """What was done: the plan that was carried out, the operation, and why nothing was done, in sentences."""

    plan: Plan
    record: Record | None
    refused: tuple[str, ...] = ()

    @property
    def commit(self) -> Committed | None:
        """The commit that was made, or why there is none."""
        return next(iter(self.record.commits), None) if self.record else None


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


def message(made: Plan, operation: str) -> str:
    """The message of the commit: the format's first line, and trailers."""
    commit = made.target.commit
    if made.restores:
        subject, trailers = RESTORED, [f"{RESTORES}: {commit.id}"]
    else:
        subject, trailers = longterm(made.repository.workspace.agent).UNDONE, [f"{REVERTS}: {commit.id}"]
    trailers.append(f"{OPERATION}: {operation}")
    if made.rewind is not None and made.rewind.moves:
        trailers.append(f"{CURSOR}: {made.rewind.trailer}")
    about = [] if made.restores or not commit.subject else [" ".join(commit.subject.split()), ""]
    return "\n".join([subject.format(id=commit.id[:SHORT]), "", *about, *trailers]) + "\n"


def carry_out(
    wish: Wish, repositories: Sequence[Repository], made: Plan, *, command: Sequence[str], idle: float, force_live: bool
) -> Reverted:
    """Carry out a plan without clashes; where somebody wrote or committed since, a new one for the same wish. Raises CannotWrite
    where the repository takes no commit, what `plan` does, and RefusedForSafety; then nothing is changed."""
    for attempt in range(TRIES):
        try:
            return _carry_out(made, command, idle, force_live)
        except RefusedForSafety as error:
            if error.facts.get("why") != "changed" or attempt == TRIES - 1:
                raise
        id = made.target.commit.id
        made = plan(wish._replace(to=id) if made.restores else wish._replace(commit=id), repositories)
        if made.clashes:
            break
    return Reverted(made, None)


def _carry_out(made: Plan, command: Sequence[str], idle: float, force_live: bool) -> Reverted:
    workspace = made.repository.workspace
    _check(made)
    changed = [one for one in made.changes if one.new != one.old]
    paths = [one.file.path for one in changed]
    fresh = [one.file.path for one in changed if one.version is None]
    if made.rewind is not None and made.rewind.moves and not made.rewind.state.own:
        position = made.rewind.state.position.path
        paths.append(position)
        fresh += [] if os.path.lexists(position) else [position]
    refused = guarding.refusal(workspace, paths, idle, force_live, fresh=fresh) if paths else []
    if refused:
        return Reverted(made, None, tuple(refused))
    with undo.begin(
        sealing.store(workspace),
        "revert",
        command=command,
        agent=workspace.agent,
        locks=guarding.locks_of(workspace, paths),
        beacons=guarding.beacons_of(workspace),
    ) as operation:
        if git_history.head(made.repository.folder) != made.last:
            raise RefusedForSafety(
                f"{made.repository.shown} got another commit meanwhile; nothing was changed.", why="changed"
            )
        for one in changed:
            _enter(operation, one, guarding.root_of(workspace, one.file.path))
        if made.rewind is not None and made.rewind.moves:
            positions.enter(operation, made.rewind.state, made.rewind.number)
        if not made.restores:  # what was proposed is open again
            inbox.reopen(operation, sealing.store(workspace), made.target.commit.trailers.get(OPERATION, ()))
        _version(operation, made)
        return Reverted(made, operation.commit())


def _enter(operation: Operation, change: Change, root: str) -> None:
    path = change.file.path
    if change.version is None:
        assert change.new is not None
        operation.create(path, change.new, root=root, mode=0o644)
    elif change.new is None:
        operation.remove(path, change.version, root=root)
    else:
        operation.rewrite(path, change.version, change.new, root=root)


def _version(operation: Operation, made: Plan) -> None:
    hand = {one.file.name: one.old for one in made.by_hand}
    contents = {one.file.name: one.kept for one in made.changes if one.kept != one.held or one.file.name in hand}
    if made.rewind is not None and made.rewind.moves and made.rewind.name:
        contents[made.rewind.name] = made.rewind.data
    operation.version(made.keep, contents, message(made, operation.id), seconds=time.time(), hand=hand)


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


def _check(made: Plan) -> None:
    """Raise CannotWrite where nothing can be committed."""
    one = made.repository
    if not one.own:
        raise CannotWrite(
            f"The memory lies in the repository {one.shown}, which is not the agent's own: memcli commits nothing there, and "
            "nothing was changed. 'memcli diff COMMIT^ COMMIT' shows what to take back by hand.",
            path=one.folder,
            why="it is somebody else's repository",
        )
    why = git_writing.refusal(made.keep, [change.file.name for change in made.changes])
    if why:
        raise CannotWrite(
            f"Nothing can be committed in {one.shown}: {why}. Nothing was changed.", path=one.folder, why=why
        )


def _alike(one: bytes, held: bytes | None) -> bool:
    """Whether a file is what the commit has; a checkout may have ended the lines in CR LF."""
    return held is not None and (one == held or (b"\r\n" not in held and one.replace(b"\r\n", b"\n") == held))


def _as_on_disk(then: bytes | None, now: bytes | None, old: bytes | None) -> bytes | None:
    """An older version as the checkout would have it that ended the lines of the present one in CR LF."""
    if then is None or old is None or old == now or not _alike(old, now) or b"\r\n" in then:
        return then
    return then.replace(b"\n", b"\r\n")
