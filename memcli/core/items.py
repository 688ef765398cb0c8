"""What repair tells of each finding: what becomes of it, and the edits and actions that do it."""

from __future__ import annotations

from typing import NamedTuple

from memcli.model import Action, Finding

MOVED = "offset-moved"
"""The code of edits that keep a number with the rows that it counts; no damage of its own."""


class Shown(NamedTuple):
    """An edit for people: where it is in the old file, and the beginning of what stands there before and afterwards.

    `removed` and `added` are how many bytes there are of each.
    """

    offset: int
    before: bytes
    after: bytes
    removed: int
    added: int


class Mended(NamedTuple):
    """A finding with what is done about it: edits to be shown, or actions."""

    finding: Finding
    shown: tuple[Shown, ...] = ()
    actions: tuple[Action, ...] = ()


class Counts(NamedTuple):
    """Rows that stay as they are, that are made whole, and that are taken out."""

    kept: int = 0
    mended: int = 0
    quarantined: int = 0


class Item(NamedTuple):
    """A finding and what becomes of it: `state` is "mend" or "left"; `needs` is the option that would mend it."""

    finding: Finding
    state: str
    needs: str = ""
    shown: tuple[Shown, ...] = ()
    actions: tuple[Action, ...] = ()
