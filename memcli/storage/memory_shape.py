"""How an agent lays out a memory file: what a format says of it, and memory/blocks.py cuts it by."""

from __future__ import annotations

from typing import NamedTuple


class Head(NamedTuple):
    """The heading of what the agent appends in one piece. `kind` is "dream" or "archived"; `pattern` is matched against the
    whole line without its end, and may have the groups `date` (YYYY-MM-DD), `user` and `project` (whose words follow)."""

    kind: str
    pattern: str


class Label(NamedTuple):
    """A heading, or a bold word before a fact, that sorts what follows: `pattern` is matched against its words, without
    marks, emphasis and colon, regardless of case. `category` is decision, fact, preference or pattern, `section` is user or
    project; "" for what it does not tell."""

    pattern: str
    category: str = ""
    section: str = ""


class Shape(NamedTuple):
    """The layout of one memory file.

    A block that begins at one of `heads` goes on to the next of them; where `closes` is not 0, also only to the next heading
    of so many # or fewer that is none of `labels`. Everything before is the user's own, in blocks by heading. `plain`: every
    line is a fact, with or without a list mark.
    """

    heads: tuple[Head, ...] = ()
    labels: tuple[Label, ...] = ()
    closes: int = 0
    plain: bool = False
