"""What waits for a Dream, whichever way it was kept: entries with where they come from, and how their reading is noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memcli.core.landing import Write


class Origin(NamedTuple):
    """Where an entry comes from: `name` is the session's key or the journal as it is called in output, `first` to `last` are
    rows of the session, or the number of the journal's entry twice. `digest` is that of the lines."""

    kind: str
    name: str
    first: int
    last: int
    digest: str = ""

    @property
    def shown(self) -> str:
        """The same in words."""
        what = "rows" if self.kind == "session" else "entries"
        span = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.name} {what if self.first != self.last else what[:-1].replace('entrie', 'entry')} {span}"


class Said(NamedTuple):
    """One entry as a provider gets it: `content` in turns that begin with `[user]` or `[assistant]`, `cut` how many characters
    of it were left out, `at` the stored time. `number` is how items name it as their source."""

    number: int
    content: str
    at: str
    origin: Origin
    cut: int = 0


class Feed(NamedTuple):
    """What waits in one place. `said` are the oldest entries, `entries` and `characters` count all that wait. `taken` gives, for
    the first so many of `said`, what must be written so that they are not read again. `position` is the words for where reading
    stands, before and after. `notes` are sentences on what could not be read."""

    source: str
    name: str
    entries: int
    characters: int
    said: Sequence[Said]
    taken: Callable[[int], Sequence[Write]]
    moved: Callable[[int], str]
    notes: tuple[str, ...] = ()


def cut(text: str, most: int) -> tuple[str, int]:
    """The first `most` characters, and how many were left out."""
    return (text, 0) if len(text) <= most else (text[:most], len(text) - most)
