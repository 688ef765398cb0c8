"""What a pass over a file keeps of each record: at most 40 bytes, in arrays that grow together."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

ROLE = 0x1F
"""The bits of a flag that hold the code of the role: an index into `Facts.roles`."""
NUMBER = 0x20
"""The id is a whole number, and `ids` holds it."""
TEXT = 0x40
"""The id is text, and `ids` holds its hash: equal hashes are a reason to look, no proof."""
BAD_ID = 0x80
"""An id is there, but neither a whole number nor text (null, a fraction, true ...)."""
UNREAD = 0x100
"""The row gave no record: nothing else is known of it."""
SHARED = 0x200
"""The record stands on the line of the entry before it (glued lines)."""
ODD = 0x400
"""The agent chokes on the record; `RowRules.fault` says why."""
HEADER = 0x800
"""The row is a header below the leading ones, no message."""

Call = tuple[int, bool, str]
"""(index in the batch, whether it is an answer, the call's id)."""


class Columns(NamedTuple):
    """What a format tells about a batch of records, one entry a record in each list.

    `owners` are the session keys that rows name, `parents` the ids of the records that they follow; None where the
    format has no such member. `odd` are the indexes of records that the agent chokes on, `headers` those of headers.
    """

    ids: Sequence[Any]
    times: Sequence[Any]
    roles: Sequence[Any]
    owners: Sequence[Any] | None = None
    parents: Sequence[Any] | None = None
    calls: Sequence[Call] = ()
    odd: Sequence[int] = ()
    headers: Sequence[int] = ()


class RowRules(NamedTuple):
    """What a format's agent expects of its rows; the defaults expect nothing.

    `roles` are the roles it knows, empty for any. `numbered`: ids are whole numbers that go up by one. `cap` is how many
    rows it keeps. `offsets` are the header members that count records. `pairs`: answers must follow their calls.
    `linked`: records name the one that they follow. `fault` says in a clause why the agent chokes on a record, "" when
    it does not; where it is the role that is missing, the clause begins with "has no role".

    `reset` is what an offset that is out of range is set to, as the agent itself does. `calls` are the ids of the calls that
    a record makes, `answer` builds, without newline, the row that answers one of them with a marked error, given the
    record, the call's id and the number that the row may have. `mirrored` tells in a clause from the header and the
    records that the file was written from a copy that holds less, "" when nothing says so. `timed`: records without an id
    are known by their time, role and text; else by all that they hold. `cuts`: the agent keeps all that lies before an answer
    without its call from the model.
    """

    roles: frozenset[str] = frozenset()
    numbered: bool = False
    cap: int | None = None
    offsets: tuple[str, ...] = ()
    pairs: bool = False
    linked: bool = False
    fault: Callable[[Any], str] = lambda value: ""
    reset: int = 0
    calls: Callable[[Any], Sequence[str]] = lambda value: ()
    answer: Callable[[Any, str, int | None], bytes] | None = None
    mirrored: Callable[[Mapping[str, Any], Iterable[Any]], str] | None = None
    timed: bool = False
    cuts: bool = False
    discarded: Callable[[Any], int] | None = None
    """How many rows the agent threw away when it wrote this record in their place; 0 for any other record."""


class HeaderFacts(NamedTuple):
    """What is known when a header must be built anew. Times are stored texts; `members` are whole members of what is left of
    the old header, decoded; `rows` is how many rows there are, `preview` what the last asker said, "" when unknown."""

    key: str
    created: str
    updated: str
    preview: str = ""
    rows: int = 0
    members: Mapping[str, Any] = MappingProxyType({})


class HeaderRules(NamedTuple):
    """How a format's header is: `needed` are the members without which the agent's list or load breaks, `build` writes one
    as the agent would, without a newline, `last_wins` tells which of several counts, `owned` that rows name their session,
    `fits` whether the agent can read the value of a member that is there, `on_top` that it looks for the header on the first
    line only, blank or not. `title` is where the title is, outermost member first, `newest` are the members that tell of the
    last turn.
    """

    needed: tuple[str, ...]
    build: Callable[[HeaderFacts], bytes]
    last_wins: bool = False
    owned: bool = False
    fits: Callable[[str, Any], bool] = lambda name, value: True
    on_top: bool = False
    title: tuple[str, ...] = ("title",)
    newest: tuple[str, ...] = ()


class Facts:
    """One entry for every record of a file, in order; an unreadable row has one too.

    `offsets` are the bytes where lines start, `ids` numbers or hashes (see the flags), `times` seconds since the epoch
    or NaN, `flags` the bits above and the role's code, `prints` the CRC-32 of the line (0 for a record with an id: it is
    known by that). Sparse: `call_entries` and `call_ids` (the lowest bit tells an answer), `link_entries` and
    `link_parents` for records whose parent is not the record before them, `owner_entries` and `owner_codes` where the
    owner changes (`owners` has the keys).
    """

    def __init__(self) -> None:
        self.offsets = array("Q")
        self.ids = array("q")
        self.times = array("d")
        self.flags = array("H")
        self.prints = array("I")
        self.call_entries = array("I")
        self.call_ids = array("q")
        self.link_entries = array("I")
        self.link_parents = array("q")
        self.owner_entries = array("I")
        self.owner_codes = array("H")
        self.shared = array("I")
        self.roles: list[str] = [""]
        self.owners: list[str | None] = [None]

    def __len__(self) -> int:
        return len(self.offsets)

    def row(self, entry: int) -> int:
        """The row number, from 1, of an entry."""
        return entry + 1 - bisect_right(self.shared, entry)

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(self.offsets) - len(self.shared)

    def role(self, entry: int) -> str:
        """The stored role of a record, "" when it has none."""
        return self.roles[self.flags[entry] & ROLE]

    def owner(self, entry: int) -> str | None:
        """The session key that a record names."""
        place = bisect_right(self.owner_entries, entry) - 1
        return self.owners[self.owner_codes[place]] if place >= 0 else None
