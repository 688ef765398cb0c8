"""What memcli knows about an agent, cut into facets; each format package provides modules that satisfy these.

A Format is a frozen record of facets, None where the agent has nothing of the kind. What each facet must offer is
written down as a Protocol in formats/protocols.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # Protocol classes are slow to make, and a listing has no use for them at run time
    from memcli.formats.protocols import Journal, Layout, Loader, Locks, Memory, Records, Sending


class JournalFile(NamedTuple):
    """One journal: `path`; `allocated` is the file that holds the last number given out (None: the format has none),
    `processed` the one that says how far Dream has come."""

    path: str
    allocated: str | None
    processed: str | None
    label: str = ""


class MemoryFile(NamedTuple):
    """One memory file; `layer` is "global", "project", "user", "persona" or "user:<id>"."""

    path: str
    layer: str


class Format(NamedTuple):
    """One agent's facets.

    `header_members` are the header's members without which the agent's own list or load breaks, () when sessions have
    no header. `askers` are the roles whose words make a preview. Two facets are modules that only verify and repair load:
    `rules.py` and `effects.py` of the package (formats/__init__.py: `rules`, `effects`).
    """

    name: str
    layout: Layout
    records: Records
    loader: Loader
    journal: Journal | None = None
    memory: Memory | None = None
    locks: Locks | None = None
    sending: Sending | None = None
    header_members: tuple[str, ...] = ()
    askers: tuple[str, ...] = ("user",)
