"""What differs between two states of memory: two commits, or a commit and the files as they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.core.revisions import Repository, commits_of, content
from memcli.storage import git_history
from memcli.storage.passages import Passage, between


class Difference(NamedTuple):
    """Where two states of a file differ. `old` and `new` are commits; None for `new`: the file on disk, for `old`: nothing (there
    is no commit yet). `passage.path` is how the file is called in output."""

    repository: Repository
    old: str | None
    new: str | None
    passage: Passage


def differences(
    repositories: Sequence[Repository], commits: Sequence[str], name: str | None = None
) -> Iterator[Difference]:
    """What differs between two commits; between one and the files on disk; or between the last commit and the files on disk. Of
    the memory files, or of the file `name` of the only repository. Raises UnknownRevision, CannotRead."""
    if commits:
        one, ids = commits_of(commits, repositories)
        repositories = [one]
    for one in repositories:
        names = [file.name for file in one.files] if name is None else [name]
        old = ids[0] if commits else git_history.head(one.folder)
        if len(commits) > 1:
            for passage in git_history.differences(one.folder, old, ids[1], names):
                yield Difference(one, old, ids[1], passage._replace(path=one.show(passage.path)))
        else:
            for passage in _on_disk(one, old, names):
                yield Difference(one, old, None, passage)


def _on_disk(repository: Repository, commit: str | None, names: Sequence[str]) -> Iterator[Passage]:
    held = (
        git_history.contents(repository.folder, [(commit, name) for name in names]) if commit else [None] * len(names)
    )
    for name, before in zip(names, held, strict=True):
        now = content(os.path.join(repository.tree, name))
        if now is not None and before is not None and b"\r\n" not in before:
            now = now.replace(b"\r\n", b"\n")  # as a checkout may have written it
        yield from between(repository.show(name), before or b"", now or b"")
