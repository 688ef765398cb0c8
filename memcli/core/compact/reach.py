"""What a summary reaches beside the session itself: the journal that it changes, and how far Dream has read that."""

from __future__ import annotations

import os

from memcli.core import journals, positions
from memcli.core.compact.names import workspace_of
from memcli.core.journals import Journal
from memcli.formats import compacting
from memcli.model import SessionRef


def journal_of(ref: SessionRef) -> Journal | None:
    """The journal that a summary of the session changes: the one that gets an entry, or that the session itself is. Raises
    UsageError where several could be meant."""
    facet = compacting(ref.agent)
    if facet.MEMORY == "journal":
        return journals.one(journals.every(workspace_of(ref)))
    if not facet.REMOVES:
        return None
    real = os.path.realpath(ref.path)
    found = (one for one in journals.every(workspace_of(ref)) if os.path.realpath(one.file.path) == real)
    return next(found, None)


def dreamt(ref: SessionRef) -> int | None:
    """How many of the session's rows may go, as Dream has read them; None where that does not matter."""
    if not compacting(ref.agent).REMOVES:
        return None
    journal = journal_of(ref)
    where = positions.position(journal)[0] if journal else None
    return max(0, where.used or 0) if where and not where.dialect else 0
