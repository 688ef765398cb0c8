"""What the loaders of the five generations do differently; read in, and checked against, the packages."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """How one generation loads, lists, replays and saves a session file."""

    names: str
    """Which file names it loads: "lossy", "encoded", "both", or "any" where the era is not known."""
    offsets: tuple[str, ...] = ("last_consolidated",)
    """The header members that give the archive offset; the first whole number wins."""
    clamps: bool = True
    """An offset out of range is read as 0."""
    clamps_since: str = ""
    """The version of the era that began to do so."""
    repairs: bool = True
    """A line that does not parse is passed over; otherwise nothing is loaded."""
    skips_non_objects: bool = True
    """An array or a scalar is passed over as well; otherwise nothing is loaded."""
    raises_deep: bool = True
    """Too deep a line ends each turn with an error, instead of an empty session."""
    dates_matter: bool = False
    """A bad created_at loses the session."""
    names_tool_calls: bool = False
    """A tool call whose name is a list or an object loses the session."""
    has_state: bool = False
    """`_type` provider_state is no message; metadata that is no object is read as empty."""
    lists_by_scan: bool = True
    """The list reads on to the first user text, and repairs what it cannot read."""
    sorts_stored_times: bool = True
    """The list sorts by updated_at as it stands, and fails as a whole on an odd one."""
    fills_times: bool = False
    """A missing updated_at is taken from the file's own time before that."""
    pairs: bool = True
    """The replay starts at a user row, and behind a tool result that answers no call."""
    flags: bool = True
    """The replay heeds `_command` and `_channel_delivery` and drops silent assistant rows."""
    saves_ascii: bool = False
    """Half a surrogate pair is written back as an escape."""


def rules_of(era: str) -> Rules:
    """The rules of `era`; an unknown one is read by the newest rules, under any file name."""
    return _RULES.get(era) or _NEWEST._replace(names="any")


_NEWEST = Rules(
    names="encoded",
    offsets=("last_archived", "last_consolidated"),
    names_tool_calls=True,
    has_state=True,
    sorts_stored_times=False,
)
_OLD = Rules(
    names="lossy",
    clamps=False,
    repairs=False,
    skips_non_objects=False,
    raises_deep=False,
    dates_matter=True,
    lists_by_scan=False,
    flags=False,
)
_RULES = {
    "E0": _OLD._replace(offsets=(), pairs=False, saves_ascii=True),  # up to 0.1.3.post7
    "E1": _OLD,  # 0.1.4
    # 0.2.2 speaks for its era: 0.1.5 and 0.1.5.post1 did not repair, and the first versions did not clamp;
    # nothing on disk tells which of them is installed.
    "E2": Rules(names="lossy", clamps_since="0.2.2", skips_non_objects=False, raises_deep=False),
    "E3": Rules(names="both", fills_times=True),  # 0.3.0
    "E4": _NEWEST,  # 0.3.5
}
