"""The journals: the running log, entry by entry, and the logs and notes that older versions kept as text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import listing
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.looking import look
from memcli.formats import load
from memcli.formats.facets import JournalFile
from memcli.model import Workspace

LAYER = "journal"
LOOKED = "journals"


def sources(scope: Scope) -> Iterator[Source | Unchecked]:
    """Every journal that there is; the key of a place in it is the session that its entry names."""
    for workspace in scope.workspaces:
        journal = load(workspace.agent).journal
        texts = journal.texts(workspace) if journal and not workspace.files else []
        for kind, paths in (("journal", [one.path for one in journal_files(workspace)]), ("text", texts)):
            for path in paths:
                if os.path.lexists(path):
                    yield Source(LAYER, "", path, listing.shown(workspace, path), workspace, kind=kind)


def traces(scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The entries that match, or that are about the session in question."""
    return look(sources, question)


def journal_files(workspace: Workspace) -> list[JournalFile]:
    """The journals of a workspace that are no session files as well."""
    journal = load(workspace.agent).journal
    files = journal.files(workspace) if journal and not workspace.files else []
    if journal is not None and journal.AS_SESSIONS:
        return []
    sessions = set(listing.paths(workspace)) if files else set()
    return [one for one in files if one.path not in sessions]
