"""The inbox: what a model, a script or a fix proposes to change in a workspace's memory, one file each in memcli's own state."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import proposal_files
from memcli.core.proposal_files import Unreadable
from memcli.core.proposals import (
    APPROVED,
    EDITS,
    ITEMS,
    OPEN,
    REJECTED,
    Decision,
    Proposal,
    ProposedEdit,
    ProposedItem,
    of_items,
    stamp,
)
from memcli.errors import CannotRead, RefusedForSafety
from memcli.storage import state
from memcli.storage.operation import Operation
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.state import Store
from memcli.storage.versions import read_version

__all__ = [
    "APPROVED",
    "EDITS",
    "ITEMS",
    "OPEN",
    "REJECTED",
    "Damaged",
    "Decision",
    "Inbox",
    "Proposal",
    "ProposedEdit",
    "ProposedItem",
    "change",
    "of_items",
    "put",
    "read",
    "reopen",
    "stamp",
]
PLACE = "inbox"
LIMIT = 64 << 20
"""A file with more bytes is no proposal."""
_NAME = re.compile(r"p([1-9]\d{0,8})\.json")
_LAST = "last"
"""The file with the highest number that was given, which is never given again."""


class Damaged(NamedTuple):
    """A file in the inbox that is no proposal, and why, in a clause."""

    path: str
    why: str


class Inbox(NamedTuple):
    """What is in the inbox of a workspace: the proposals, oldest first, and the files that cannot be read as such."""

    proposals: tuple[Proposal, ...] = ()
    damaged: tuple[Damaged, ...] = ()


def read(store: Store) -> Inbox:
    """All that is in the inbox. A damaged file hides no other one. Creates nothing."""
    folder = os.path.join(store.folder, PLACE)
    proposals: list[tuple[int, Proposal]] = []
    damaged = []
    for number, name in sorted(_numbered(folder)):
        path = os.path.join(folder, name)
        try:
            proposals.append((number, _read(path, f"p{number}")))
        except CannotRead as error:
            damaged.append(Damaged(path, str(error.facts["why"])))
        except Unreadable as error:
            damaged.append(Damaged(path, str(error)))
    return Inbox(tuple(proposal for _, proposal in proposals), tuple(damaged))


def put(operation: Operation, store: Store, proposal: Proposal) -> Proposal:
    """Add a proposal within an operation, which holds the workspace's lock; the proposal with its id, which no other one has or
    had. Once in an operation."""
    folder = state.place(store, PLACE)
    last = os.path.join(folder, _LAST)
    number = max((number for number, _ in _numbered(folder)), default=0)
    number = max(number, _count(last)) + 1
    made = proposal._replace(id=f"p{number}")
    operation.create(os.path.join(folder, f"{made.id}.json"), _dumped(made), root=folder)
    if os.path.lexists(last):
        operation.rewrite(last, read_version(last), str(number).encode(), root=folder, lasting=True)
    else:
        operation.create(last, str(number).encode(), root=folder, lasting=True)
    return made


def change(operation: Operation, store: Store, old: Proposal, new: Proposal) -> None:
    """Put `new` in the place of `old` within an operation, which holds the workspace's lock; undoing it brings `old` back. Raises
    RefusedForSafety when somebody decided on it meanwhile."""
    folder = state.place(store, PLACE)
    path = os.path.join(folder, f"{old.id}.json")
    version = read_version(path)
    try:
        there = _read(path, old.id) == old
    except Unreadable:
        there = False
    if not there:
        raise RefusedForSafety(
            f"{old.id} was decided on by another memcli meanwhile; nothing was changed. 'memcli proposals show {old.id}' shows "
            "how it stands.",
            why="decided",
        )
    operation.rewrite(path, version, _dumped(new), root=folder)


def reopen(operation: Operation, store: Store, landed: Sequence[str]) -> list[Proposal]:
    """Open the items again that these operations landed, within one that takes back what they wrote; their proposals as they are
    then. A file that is damaged is passed over."""
    reopened = []
    for proposal in read(store).proposals:
        left = tuple(one for one in proposal.decisions if not (one.operation and one.operation in landed))
        if left != proposal.decisions:
            reopened.append(proposal._replace(decisions=left))
            change(operation, store, proposal, reopened[-1])
    return reopened


def _dumped(proposal: Proposal) -> bytes:
    value = proposal_files.value(proposal)
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass") + b"\n"


def _read(path: str, id: str) -> Proposal:
    fd = open_regular(path)
    try:
        size = os.fstat(fd).st_size
        if size > LIMIT:
            raise Unreadable("it is too large")
        raw = os.pread(fd, size, 0)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(fd)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error
    return proposal_files.proposal(value)._replace(id=id)


def _numbered(folder: str) -> list[tuple[int, str]]:
    """The files of proposals with their numbers."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [(int(found[1]), name) for name in names if (found := _NAME.fullmatch(name))]


def _count(path: str) -> int:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read(20)
    except OSError:
        return 0
    return int(text) if text.isdecimal() and len(text) <= 9 else 0
