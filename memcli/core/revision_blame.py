"""Which commit each line of a memory file comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli.core import provenance, sealing
from memcli.core.revisions import Repository, commit_of, content, kind_of, unknown_revision
from memcli.errors import NoHistory
from memcli.storage import git_history
from memcli.storage.git_history import Commit
from memcli.storage.passages import lines_of, origins


class BlamedLine(NamedTuple):
    """One line. `commit` is None for one that no commit has yet; `kind` is that of the commit (revisions.kind_of), `was` the
    number of the line in the commit, `boundary` whether the history ends at the commit, so that the line can be older. `sources`
    is where memcli took it from (provenance.item_json), where it was memcli that wrote it."""

    number: int
    text: str
    commit: Commit | None
    kind: str = ""
    was: int | None = None
    boundary: bool = False
    sources: Sequence[Mapping[str, Any]] = ()


def blame(repository: Repository, name: str, at: str | None = None) -> list[BlamedLine]:
    """The lines of a file as it is on disk; with `at`, or when it is not there, as that or the last commit has it. Raises
    NoHistory when no commit has the file, UnknownRevision."""
    commit = git_history.head(repository.folder) if at is None else commit_of(at, repository)
    if commit is None and at is not None:
        raise unknown_revision(at, [repository])
    shown = repository.show(name)
    [committed] = git_history.contents(repository.folder, [(commit, name)]) if commit else [None]
    if commit is None or committed is None:
        raise NoHistory(f"No commit has {shown} yet, so that nothing is known of its lines.", path=shown)
    now = content(os.path.join(repository.tree, name)) if at is None else None
    text = committed if now is None else now
    if b"\r\n" in text and b"\r\n" not in committed:
        text = text.replace(b"\r\n", b"\n")
    sources = git_history.blame(repository.folder, commit, name)
    known = git_history.described(repository.folder, [source.commit for source in sources])
    kinds = {id: kind_of(one, repository.workspace)[0] for id, one in known.items()}
    known_lines = _Known(repository)
    found = []
    for number, (line, was) in enumerate(zip(lines_of(text), origins(committed, text), strict=True), 1):
        words = line.rstrip(b"\r\n").decode("utf-8", "replace")
        source = sources[was - 1] if 0 < was <= len(sources) else None
        if source is None:
            found.append(BlamedLine(number, words, None))
        else:
            one = known[source.commit]
            told = known_lines.sources(one, words)
            found.append(BlamedLine(number, words, one, kinds[one.id], source.line, source.boundary, told))
    return found


class _Known:
    """Where lines came from that memcli wrote, by the commits that name its operations."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.by_operation: dict[str, dict[str, Sequence[Mapping[str, Any]]]] = {}

    def sources(self, commit: Commit, line: str) -> Sequence[Mapping[str, Any]]:
        """The sources of a line of a commit."""
        operation = next(iter(commit.trailers.get(provenance.OPERATION, ())), "")
        if not operation:
            return ()
        if operation not in self.by_operation:
            rows = provenance.lines(sealing.store(self.repository.workspace), operation)
            self.by_operation[operation] = {row["line"]: row.get("sources") or () for row in rows}
        return self.by_operation[operation].get(line, ())
