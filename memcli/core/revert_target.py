"""Which commit a revert is about: one that is named, or the newest Dream whose change was not taken back already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memcli import times
from memcli.core import revision_log
from memcli.core.revision_log import Entry
from memcli.core.revisions import Repository, commit_of, commits_of
from memcli.errors import CannotRead, NoHistory, NothingToRevert, UsageError
from memcli.formats import longterm
from memcli.storage import git_history
from memcli.storage.git_writing import Keep, reached

REVERTS, RESTORES = "Memcli-Reverts", "Memcli-Restores"
"""Trailers: the commit that was taken back, or whose state was brought back, by its whole id."""
FIRST, EVERY = 64, 1_000_000
"""So many commits are looked at first for a Dream; then all."""
_DREAM = re.compile(r"(?:memcli )?dream(?:-user)?: ")


def named(argument: str, repositories: Sequence[Repository]) -> Entry:
    """The commit that is named, in the history of what is checked out. Raises UnknownRevision, UsageError for one that is not in
    it, NoHistory where there is no commit at all, CannotRead where it cannot be told what the commit changed."""
    one, id = _known(argument, repositories)
    if not reached(Keep(one.folder, one.tree), id):
        raise UsageError(
            f"{id[:8]} is not in the history of what is checked out in {one.shown}, so its change is not in the files. "
            f"Nothing was changed; 'memcli revert --to {id[:8]}' brings its state back.",
            commit=id,
        )
    if git_history.is_boundary(one.folder, id):
        raise CannotRead(
            f"{one.shown} is a shallow clone that begins with {id[:8]}: what was before it is not there. Nothing was changed.",
            path=one.folder,
            why="the history ends there",
        )
    return revision_log.entry(one, id)


def state(argument: str, repositories: Sequence[Repository]) -> Entry:
    """The commit whose state is named; any that is in the repository. Raises UnknownRevision, NoHistory."""
    return revision_log.entry(*_known(argument, repositories))


def newest(repositories: Sequence[Repository], name: str | None = None) -> Entry:
    """The newest commit of a Dream, the agent's or memcli's, that changed a memory file (with `name`: that one) and was not taken
    back. Raises NothingToRevert, NoHistory."""
    there = [one for one in repositories if git_history.head(one.folder) is not None]
    if not there:
        raise _empty(repositories)
    found = [entry for one in there for entry in _newest(one, name)]
    if not found:
        places = ", ".join(one.shown for one in there)
        raise NothingToRevert(
            f"No Dream in {places} is left to be reverted; 'memcli log' lists all commits, to name one."
        )
    return max(found, key=lambda entry: times.parse(entry.commit.time) or 0.0)


def touched(entry: Entry) -> set[str]:
    """The names of the memory files that a commit changed."""
    return {file.name for file in entry.repository.files} & {change.name for change in entry.commit.changes}


def _newest(repository: Repository, name: str | None) -> list[Entry]:
    for count in (FIRST, EVERY):
        commits = revision_log.entries([repository], count)
        for entry in _standing(repository, commits):
            changed = touched(entry)
            if _is_dream(entry) and (changed if name is None else name in changed):
                return [entry]
        if len(commits) < count:
            break
    return []


def _standing(repository: Repository, commits: Sequence[Entry]) -> Iterator[Entry]:
    """The commits, newest first, that no later one took back. What takes others back is not among them."""
    undone: set[str] = set()
    until = ""
    for entry in commits:
        id = entry.commit.id
        if until:  # all of it is undone, to the one that was named
            if id == until:
                until = ""
            continue
        if id in undone:
            continue
        trailers = entry.commit.trailers
        if REVERTS in trailers:
            undone.update(trailers[REVERTS])
        elif RESTORES in trailers:
            until = _after(commits, trailers[RESTORES][0])
        elif entry.kind == "revert":
            until = _agents(repository, entry)
        else:
            yield entry


def _agents(repository: Repository, entry: Entry) -> str:
    """The commit to which the agent's own revert took everything back, that one with it; "" where it is not told."""
    before, _, behind = longterm(repository.workspace.agent).UNDONE.partition("{id}")
    named = entry.commit.subject.removeprefix(before).removesuffix(behind)
    return commit_of(named, repository) or ""


def _after(commits: Sequence[Entry], id: str) -> str:
    """The commit that came right behind another one; "" where there is none."""
    ids = [entry.commit.id for entry in commits]
    return ids[ids.index(id) - 1] if id in ids[1:] else ""


def _is_dream(entry: Entry) -> bool:
    return entry.kind in ("dream", "dream-user") or (
        entry.kind == "memcli" and bool(_DREAM.match(entry.commit.subject))
    )


def _known(argument: str, repositories: Sequence[Repository]) -> tuple[Repository, str]:
    if all(git_history.head(one.folder) is None for one in repositories):
        raise _empty(repositories)
    one, [id] = commits_of([argument], repositories)
    return one, id


def _empty(repositories: Sequence[Repository]) -> NoHistory:
    places = ", ".join(one.shown for one in repositories)
    return NoHistory(f"There is no commit in {places} yet, so there is nothing to go back to. Nothing was changed.")
