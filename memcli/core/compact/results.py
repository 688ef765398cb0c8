"""What compact tells: the queue, and what became of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcli.model import SessionRef, Workspace

if TYPE_CHECKING:  # who looks at the queue alone has no use for them
    from memcli.core.asking.points import Point
    from memcli.core.asking.summarising import Summary
    from memcli.core.landing import Landed, Landing
    from memcli.core.proposals import Proposal
    from memcli.core.queue import Queued


class Line(NamedTuple):
    """The queue of one workspace."""

    workspace: Workspace
    queued: tuple[Queued, ...]


class Compacted(NamedTuple):
    """What became of one session. `outcome`: "compacted", "planned" (--dry-run), "proposed", "nothing" (no whole turn can go, or
    nothing was said), "failed" (the provider; `why` is its sentence), "error" (`why` says what was in the way, `code` is the exit
    code of that, `busy` whether that is over by itself). `everywhere`: the others would fail as well. Rows `first` to `last`,
    counted from the first that ever was, are summarised; `stay` rows are left as they were, `removed` went into the archive."""

    ref: SessionRef
    outcome: str
    provider: str = ""
    model: str = ""
    first: int = 0
    last: int = 0
    stay: int = 0
    removed: int = 0
    points: tuple[Point, ...] = ()
    summary: Summary | None = None
    landing: Landing | None = None
    landed: Landed | None = None
    proposal: Proposal | None = None
    why: str = ""
    code: int = 0
    busy: bool = False
    everywhere: bool = False
    notes: tuple[str, ...] = ()


class Trimmed(NamedTuple):
    """What became of one session. `outcome`: "trimmed", "planned" (--dry-run), "nothing" (`why` is a clause), "error" (as in
    Compacted). `removed` rows went, `stay` are left, `over` of them beyond what should be."""

    ref: SessionRef
    outcome: str
    removed: int = 0
    stay: int = 0
    over: int = 0
    landed: Landed | None = None
    why: str = ""
    code: int = 0
    busy: bool = False


class Refused(NamedTuple):
    """A workspace in which nothing could be done: another run is under way, or what was interrupted cannot be finished."""

    workspace: Workspace
    why: str
    code: int
    busy: bool


Result = Line | Compacted | Trimmed | Refused
