"""What the parts of compact call the same things by, for those that look at the queue alone and load nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.core.proposals import Proposal
from memcli.errors import MemcliError, RefusedForSafety
from memcli.model import SessionRef, Workspace

WHAT = "compact"
PROVIDER = "compact-provider"
"""What failures are counted under that are no session's fault: then all of them wait."""
BUSY = frozenset({"in use", "changed", "locked", "moved"})
"""Reasons of a refusal (errors.RefusedForSafety) that are over by themselves."""


def key_of(key: str) -> str:
    """What the failures of the session with this key are counted under."""
    return f"compact:{key}"


def is_busy(error: MemcliError) -> bool:
    """Whether what was in the way is over by itself."""
    return isinstance(error, RefusedForSafety) and error.facts.get("why") in BUSY


def workspace_of(ref: SessionRef) -> Workspace:
    """The workspace that a session lies in, also where its file was named by itself; one in an archive is still told by that."""
    one = ref.workspace
    in_place = not one.files or one.shown in one.files
    return one._replace(files=(), shown=one.root if one.files and in_place else one.shown)


def rows_of(proposal: Proposal) -> Mapping[str, Any]:
    """What a proposal of a summary tells of the rows; {} for any other proposal."""
    found = proposal.about.get(WHAT) if proposal.what == WHAT else None
    return found if isinstance(found, dict) else {}


def path_of(proposal: Proposal) -> str:
    """Where the file of the session is that a proposal is about, from the workspace's root."""
    return str(rows_of(proposal).get("path") or "")
