"""What kind of run of dream was asked for, and whether its options go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcli.core import keeping
from memcli.core.dream.running import DRY, PROPOSE, WRITE
from memcli.core.repairing import may_write as certain
from memcli.core.verifying import Scope
from memcli.errors import UsageError
from memcli.model import Workspace

STATUS, APPROVE = "status", "approve"


def check(
    *, status: bool, dry_run: bool, propose: bool, approve: bool, only: bool, consolidate: bool, if_due: bool
) -> str:
    """The mode: "write", "dry", "propose", "status" or "approve". Raises UsageError for options that exclude each other."""
    asked = [
        name
        for name, given in (
            ("--status", status),
            ("--propose", propose),
            ("--approve", approve),
            ("--consolidate", consolidate),
        )
        if given
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} exclude each other. Nothing was done.")
    if only and not approve:
        raise UsageError("--only names items of a proposal; give it with --approve. Nothing was done.")
    if dry_run and (status or propose):
        raise UsageError(f"--dry-run writes nothing, and neither shows nor keeps what {asked[0]} does; leave one out.")
    if if_due and asked and not propose:
        raise UsageError(f"--if-due and {asked[0]} exclude each other. Nothing was done.")
    if status or approve:
        return STATUS if status else APPROVE
    return PROPOSE if propose else DRY if dry_run else WRITE


def may_write(workspaces: Sequence[Workspace], named: bool) -> None:
    """Raises UsageError where it is not certain which workspace is meant."""
    certain(Scope(list(workspaces)), named)


def init_git(tell: Callable[[str], None], workspaces: Sequence[Workspace], *, command: Sequence[str]) -> None:
    """Make the repository of each workspace's memory in place. Raises RefusedForSafety, CannotWrite, UsageError."""
    for workspace in workspaces:
        for sentence in keeping.init(workspace, command=command):
            tell(sentence)
