"""What is proposed for a workspace's memory, before anybody decided on it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli.model import NOTHING, Item

ITEMS, EDITS = "items", "edits"
OPEN, APPROVED, REJECTED = "open", "approved", "rejected"


class ProposedItem(NamedTuple):
    """Something to remember; `id` names it within its proposal."""

    id: str
    item: Item


class ProposedEdit(NamedTuple):
    """`new` in the place of `old` at byte `offset` of the file `path`, relative to the workspace's root. Edits with the same id
    are one item: they land together or not at all; one whose `new` is its `old` says what must still stand there then.

    Where `old` stands more than once in the file, `before` and `after`, the bytes around it, tell which of them is meant.
    """

    id: str
    path: str
    offset: int
    old: bytes
    new: bytes
    why: str = ""
    before: bytes = b""
    after: bytes = b""


class Decision(NamedTuple):
    """What became of one item: `status` is "approved" or "rejected", `time` ISO in UTC, `because` the reason, `operation` the id
    of the operation that landed it."""

    id: str
    status: str
    time: str
    because: str = ""
    operation: str = ""


class Proposal(NamedTuple):
    """One proposal; `id` is "" until it is put into the inbox. `kind` is "items" (to be placed where they belong) or "edits" (of
    files whose bytes were those with the SHA-256 in `base`). `what` made it: "dream", "lint", "consolidate", "compact". `time` is
    ISO in UTC. `user` and `beside` are as landing.land takes them, `trailers` go into the commit's message. `about` is the
    proposer's own: plain JSON values."""

    kind: str
    what: str
    time: str
    provider: str = ""
    prompt: str = ""
    user: str = ""
    items: tuple[ProposedItem, ...] = ()
    edits: tuple[ProposedEdit, ...] = ()
    base: Mapping[str, str] = NOTHING
    decisions: tuple[Decision, ...] = ()
    beside: str = ""
    trailers: Mapping[str, tuple[str, ...]] = NOTHING
    about: Mapping[str, Any] = NOTHING
    id: str = ""

    @property
    def ids(self) -> list[str]:
        """The ids of its items, in their order."""
        return list(dict.fromkeys([*(one.id for one in self.items), *(one.id for one in self.edits)]))

    @property
    def open(self) -> list[str]:
        """The ids of the items that nobody decided on."""
        decided = {one.id for one in self.decisions}
        return [id for id in self.ids if id not in decided]

    @property
    def status(self) -> str:
        """ "open" while an item is; then "approved" when any was, else "rejected"."""
        if self.open:
            return OPEN
        return APPROVED if any(one.status == APPROVED for one in self.decisions) else REJECTED

    def decision(self, id: str) -> Decision | None:
        """What became of an item, None while it is open."""
        return next((one for one in self.decisions if one.id == id), None)


def of_items(items: Sequence[Item], *, what: str, seconds: float, **more: Any) -> Proposal:
    """A proposal of items, numbered from 1; `more` are other members of it."""
    numbered = tuple(ProposedItem(str(number), item) for number, item in enumerate(items, 1))
    return Proposal(ITEMS, what, stamp(seconds), items=numbered, **more)


def stamp(seconds: float) -> str:
    """A time since the epoch as proposals have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
