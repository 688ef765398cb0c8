"""What the memory files once said: the commits of the git repositories that they are kept in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from memcli.core import keepers, listing
from memcli.core.sources.entries import about
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.memories import memory_files
from memcli.core.sources.searched import MOST
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import Workspace
from memcli.search.pattern import Pattern
from memcli.storage import git
from memcli.storage.decode import decode
from memcli.storage.git import Hunk

LAYER = "memory-history"
LOOKED = "the history of memory files in git"
REPOSITORIES = 2
"""A memory file is looked for in so many of the repositories around it, the nearest first: agents have one inside the
folder that the user may keep in another."""


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Every memory file and journal with a repository around it, or memcli's beside it; it need not exist any more."""
    for workspace in scope.workspaces:
        kept, root = keepers.bare_of(workspace), os.path.realpath(workspace.root)
        for path in _versioned(workspace):
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            places = [(folder, folder) for folder in git.around(path)[:REPOSITORIES]]
            if kept is not None and real.startswith(root + os.sep):
                places.append((kept, root))
            for folder, tree in places:
                detail = {"repository": folder, "path": real, "tree": tree}
                yield Source(LAYER, "", path, listing.shown(workspace, path), workspace, detail, "history")


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The lines with the words that a commit added or removed: `detail["commit"]`, `detail["change"]` "added" or "removed",
    `when` the time of the commit; the newest first."""
    if question.pattern is None:
        return
    loose = question.pattern.ignore_case
    text = _piece(question.text) if loose else question.text
    repositories: dict[str, dict[str, Source]] = {}
    for source in sources:
        repositories.setdefault(source.detail["repository"], {})[source.detail["path"]] = source
    for folder, by_path in repositories.items():
        try:
            tree = next(iter(by_path.values())).detail["tree"]
            found = git.changes(folder, list(by_path), text, ignore_case=loose, tree=tree)
            places = (place for hunk in found for place in _places(by_path[hunk.path], hunk, question.pattern))
            yield from islice(places, MOST * 10)
        except CannotRead as error:
            yield Unchecked(error.sentence.removesuffix("."))


def _piece(text: str) -> str:
    """The longest piece of words that has no blanks, and no letters whose case git does not know in every locale."""
    pieces = re.split(r"\s+", "".join(c if c.isascii() or c.lower() == c.upper() else " " for c in text))
    return max(pieces, key=len) or text


def _versioned(workspace: Workspace) -> list[str]:
    form = load(workspace.agent)
    if workspace.files:
        return []
    journals = (
        [*(one.path for one in form.journal.files(workspace)), *form.journal.texts(workspace)] if form.journal else []
    )
    return list(dict.fromkeys([*(one.path for one in memory_files(workspace)), *journals]))


def _places(source: Source, hunk: Hunk, pattern: Pattern) -> Iterator[Trace]:
    for change, start, lines in (("removed", hunk.old, hunk.removed), ("added", hunk.new, hunk.added)):
        there = source._replace(detail={**source.detail, "commit": hunk.commit, "change": change})
        for number, line in _lines_with(lines, pattern):
            yield _read(there, line)._replace(line=start + number, when=hunk.time)


def _lines_with(lines: Sequence[bytes], pattern: Pattern) -> Iterator[tuple[int, str]]:
    """The lines that have the words, with their number from 0; of words across several lines the first."""
    text = b"\n".join(lines).replace(b"\0", b"").decode("utf-8", "replace")
    known = -1
    for start, _ in pattern.spans(text):
        number = text.count("\n", 0, start)
        if number != known:
            known = number
            yield number, text.split("\n")[number].rstrip("\r")


def _read(source: Source, line: str) -> Trace:
    """The record on a line of a file of rows, and the session that it is about; any other line as it stands."""
    values = decode(line.encode("utf-8", "surrogatepass")).values if source.path.endswith(".jsonl") else ()
    form = load(source.workspace.agent)
    if len(values) != 1:
        return Trace(source, text=line)
    record = form.records.record(values[0])
    return Trace(source._replace(key=about(record)), record=record, text=record.text)
