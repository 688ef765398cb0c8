"""The commits of memory, newest first: what each changed, what the agent calls it, and how far its Dream had come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memcli import times
from memcli.core.revisions import Repository, kind_of
from memcli.storage import git_history
from memcli.storage.git_history import Commit, FileChange

CURSOR_TEXT = 40
"""Characters of a cursor file that are shown."""


class Moved(NamedTuple):
    """A cursor file that a commit changed, with its text before and after; None where it was not there."""

    path: str
    before: str | None
    after: str | None


class Entry(NamedTuple):
    """One commit. `kind` and `said` are what its first line tells (revisions.kind_of), `cursors` the cursor files it changed."""

    repository: Repository
    commit: Commit
    kind: str
    said: str
    cursors: tuple[Moved, ...] = ()

    @property
    def files(self) -> list[FileChange]:
        """What it changed, each file as it is called in output."""
        return [change._replace(name=self.repository.show(change.name)) for change in self.commit.changes]


def entries(repositories: Sequence[Repository], count: int, name: str | None = None) -> list[Entry]:
    """The newest `count` commits of all repositories together; with `name`, those that changed this file of the only one."""
    found: list[Entry] = []
    for one in repositories:
        names = one.scope if name is None else (name,)
        commits = git_history.log(one.folder, count, names) if count else []
        moved = _cursors(one, commits)
        found += [Entry(one, commit, *kind_of(commit, one.workspace), moved.get(commit.id, ())) for commit in commits]
    if len(repositories) > 1:
        found.sort(key=lambda entry: times.parse(entry.commit.time) or 0.0, reverse=True)
    return found[:count]


def entry(repository: Repository, commit: str) -> Entry:
    """One commit, by its whole id."""
    [found] = git_history.log(repository.folder, 1, start=commit)
    return Entry(
        repository, found, *kind_of(found, repository.workspace), _cursors(repository, [found]).get(commit, ())
    )


def _cursors(repository: Repository, commits: Sequence[Commit]) -> dict[str, tuple[Moved, ...]]:
    """What the commits did to cursor files, by commit."""
    asked = [
        (commit, change.name) for commit in commits for change in commit.changes if change.name in repository.cursors
    ]
    if not asked:
        return {}
    places = [(id, name) for commit, name in asked for id in (commit.id, next(iter(commit.parents), ""))]
    held = git_history.contents(repository.folder, [place for place in places if place[0]])
    texts = dict(zip([place for place in places if place[0]], held, strict=True))
    found: dict[str, tuple[Moved, ...]] = {}
    for commit, name in asked:
        before = texts.get((next(iter(commit.parents), ""), name))
        moved = Moved(repository.show(name), _text(before), _text(texts.get((commit.id, name))))
        found[commit.id] = (*found.get(commit.id, ()), moved)
    return found


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace").strip()[:CURSOR_TEXT]
