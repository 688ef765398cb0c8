"""What memcli itself keeps: the bytes from before each operation, what repair cut out, and rows that were trimmed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.core import listing, sealing
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.journals import journal_files
from memcli.core.sources.looking import look
from memcli.errors import RefusedForSafety
from memcli.formats import load
from memcli.model import Workspace
from memcli.storage import kept, quarantine, row_archive, state
from memcli.storage.state import Store

LOOKED = "memcli's undo copies, quarantine and archive"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Old bytes of changed files ("undo"), pieces that were cut out ("quarantine"), trimmed rows ("archive").

    `detail["path"]` is the file that they are of, `detail["operation"]` names the operation as `undo` takes it.
    """
    for workspace in scope.workspaces:
        try:
            of = _Owner(workspace)
            stores = of.stores()
        except RefusedForSafety as error:
            yield Unchecked(error.sentence.removesuffix("."))
            return
        for store in stores:
            yield from _undo(of, store)
            yield from _quarantine(of, store)
            yield from _archive(of, store)


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The rows, pieces and texts that match."""
    return look(sources, question)


class _Owner:
    """A workspace as the owner of what is kept: which stores may hold something of it, and what of them is its own."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.form = load(workspace.agent)
        self.own = sealing.store(workspace)
        self.files = {os.path.realpath(path) for path in workspace.files}
        self.journals = {os.path.realpath(journal.path) for journal in journal_files(workspace)}
        self.folders = [os.path.realpath(one) for one in (workspace.root, *workspace.sessions, *workspace.memory)]

    def stores(self) -> list[Store]:
        """Its own store first, then those of what contains it or lies in it: memcli may have been given a folder above or
        below by -W."""
        related = [
            store
            for store in state.stores()
            if any(_within(store.root, folder) or _within(folder, store.root) for folder in self.folders if store.root)
        ]
        return list(dict.fromkeys([self.own, *related]))

    def has(self, store: Store, path: str) -> bool:
        """Whether a file is one of the workspace's; a single file that was named is one of several in its store."""
        if self.files:
            return path in self.files
        return store == self.own or any(_within(path, folder) for folder in self.folders)

    def source(self, layer: str, path: str, origin: str, detail: dict[str, Any], kind: str = "") -> Source:
        """What is kept at `path` of the file `origin`."""
        rows = ".jsonl" in os.path.basename(origin) and origin not in self.journals
        key = self.key(origin if kind else path, origin) if rows else ""
        kind = kind or ("rows" if rows else "journal" if origin in self.journals else "text")
        return Source(layer, key, path, path, self.workspace._replace(files=(path,)), {"path": origin, **detail}, kind)

    def key(self, path: str, origin: str) -> str:
        """The key in the header at `path`, else the one that the name of `origin` tells."""
        return listing.header_key(self.form, path) or self.form.layout.key_of(self.workspace, origin)


def _undo(of: _Owner, store: Store) -> Iterator[Source]:
    for record in kept.listed(store):
        detail = {"operation": record.id, "what": record.what, "time": record.time}
        for change in record.changes:
            if change.copy and of.has(store, change.path):
                path = os.path.join(kept.folder_of(store, record), change.copy)
                yield of.source("undo", path, change.path, {**detail, "kind": change.kind})


def _quarantine(of: _Owner, store: Store) -> Iterator[Source | Unchecked]:
    above = os.path.join(store.folder, "quarantine")
    for folder in _names(above):
        try:
            origins = {row["path"]: None for row, _ in quarantine.pieces(store, folder)}
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield Unchecked(f"{os.path.join(above, folder)}: it is damaged ({error})")
            continue
        detail = {"operation": folder.partition("-")[2], "store": store, "folder": folder}
        for origin in origins:
            if isinstance(origin, str) and of.has(store, origin):
                yield of.source("quarantine", os.path.join(above, folder, "bytes"), origin, detail, "pieces")


def _archive(of: _Owner, store: Store) -> Iterator[Source]:
    for found in row_archive.every(store):
        origin = found.origin or found.folder
        if not found.origin or of.has(store, os.path.realpath(origin)):
            detail = {"path": origin, "rows": found.rows, "since": found.since}
            alone = of.workspace._replace(files=(found.folder,))
            yield Source("archive", found.session, found.folder, found.folder, alone, detail, "packed")


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
