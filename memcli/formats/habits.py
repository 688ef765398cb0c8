"""What a format knows of the agent's doings by itself, facet `habits.py` of its package; only `doctor` asks for it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from memcli.formats.facets import JournalFile
from memcli.model import Workspace


class Waiting(NamedTuple):
    """The journal entries that Dream has not read: how many, characters of content together, and when Dream last ended
    (the time of its position file, epoch seconds; None where there is none)."""

    entries: int
    characters: int
    last: float | None
    now: float


class Dreams(NamedTuple):
    """Whether the agent's own Dream would run, None where that cannot be told from the files; `why` is a clause for the
    sentence "N entries wait for Dream: WHY."."""

    runs: bool | None
    why: str


class Generation(NamedTuple):
    """Files of another generation of the agent beside those that it uses now: `what` is a clause that says how many of which
    and what the agent makes of them, `path` where they are, `lost` whether the agent never looks at them."""

    era: str
    path: str
    what: str
    lost: bool


class Habits(Protocol):
    """The facet."""

    ENTRY_CAP: int | None
    """Characters to which the agent cuts the content of a journal entry; None where it does not."""
    OWN: frozenset[str]
    """Names in its sessions and memory folders that look like another program's and are its own."""

    def dreams(self, workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
        """Whether the agent's own Dream would run on what waits in a journal."""
        ...

    def generations(self, workspace: Workspace) -> list[Generation]:
        """What other generations of the agent left in the workspace."""
        ...
