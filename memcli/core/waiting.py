"""What of a journal Dream has not read, and whether the agent's own Dream would run on it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.damage.entries import is_message
from memcli.damage.framework import JournalState
from memcli.damage.journals import is_numbered
from memcli.formats import habits
from memcli.formats.facets import Dreams, JournalFile, Waiting
from memcli.model import Workspace
from memcli.storage.facts import SHARED

READ = 2000
"""Of so many entries that wait the characters are counted."""


def records(journal: JournalState) -> list[int]:
    """The entries that a reader takes for records: where they are counted, glued ones are lost to it."""
    if journal.snapshot is None:
        return []
    facts = journal.snapshot.facts
    readable = [entry for entry, flag in enumerate(facts.flags) if is_message(flag)]
    if journal.counts != "records" or not facts.shared:
        return readable
    flags = [*facts.flags, 0]
    return [entry for entry in readable if not (flags[entry] | flags[entry + 1]) & SHARED]


def entries(journal: JournalState) -> list[int]:
    """The entries that Dream has not read; all of them where no position is on disk, none where it is another program's."""
    rows, position = journal.snapshot, journal.processed
    if rows is None or (position is not None and position.dialect):
        return []
    readable = records(journal)
    if position is None or position.used is None:
        return readable
    if journal.counts == "records":
        return readable[position.used :]  # a negative one counts from the end, as the agent's own slice does
    facts = rows.facts
    return [entry for entry in readable if is_numbered(facts.flags[entry]) and facts.ids[entry] > position.used]


def dreams(
    workspace: Workspace, file: JournalFile, journal: JournalState, waiting: Sequence[int], now: float
) -> Dreams:
    """Whether the agent's own Dream would run on the entries that wait; `now` is the time since the epoch, in seconds."""
    facts = Waiting(len(waiting), _characters(journal, waiting), _last(file), now)
    return habits(workspace.agent).dreams(workspace, file, facts)


def _characters(journal: JournalState, waiting: Sequence[int]) -> int:
    """The characters of the member that Dream's rule counts, of the first READ entries."""
    total = 0
    for entry in waiting[:READ]:
        value = journal.snapshot.value(entry) if journal.snapshot else None
        content = value.get("content") if isinstance(value, dict) else None
        total += len(content) if isinstance(content, str) else 0
    return total


def _last(file: JournalFile) -> float | None:
    """When Dream last ended: the time of the agent's position file."""
    try:
        return os.stat(file.processed).st_mtime if file.processed else None
    except OSError:
        return None
