"""What a run of dream says of itself: for the commit's message, and for the state folder."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from memcli.core.dream.feed import Said
from memcli.model import Item

PROVIDER, PROMPT, CURSOR, SOURCE = "Memcli-Provider", "Memcli-Prompt", "Memcli-Cursor", "Memcli-Source"
"""The names of trailers."""
SOURCES = 20
"""So many sources stand in a commit's message; all of them in the state folder."""


class Made(NamedTuple):
    """One batch: `provider` made it with `model` and `prompt` from what was `said` in the place `name`; `moved` is how far
    reading came."""

    seconds: float
    source: str
    name: str
    provider: str
    model: str
    prompt: str
    moved: str
    said: tuple[Said, ...]

    def trailers(self, items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
        """What stands at the end of the commit's message."""
        used = {source.cursor for item in items for source in item.sources}
        shown = [one.origin.shown for one in self.said if one.number in used] or [one.origin.shown for one in self.said]
        more = [f"and {len(shown) - SOURCES} more"] if len(shown) > SOURCES else []
        return {
            PROVIDER: (f"{self.provider} {self.model}".strip(),),
            **({PROMPT: (self.prompt,)} if self.prompt else {}),
            CURSOR: (f"{self.moved} {self.name}",),
            SOURCE: (*shown[:SOURCES], *more),
        }

    def about(self) -> dict[str, Any]:
        """The same as plain values, without what was said: that stands in the sessions, or the journal."""
        said = [{"number": one.number, "at": one.at, "cut": one.cut, **one.origin._asdict()} for one in self.said]
        return {**self._asdict(), "said": said}


def new_id(seconds: float) -> str:
    """An id that sorts by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}-{os.urandom(3).hex()}"
