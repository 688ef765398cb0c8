"""Where a chat, or words of one, can still be: the sources that `doctor` looks in, layer by layer.

A module of this package is one layer. It has LAYER (the word that verdicts name), LOOKED (what was looked at, for people)
and `sources(scope)`, which gives the files that may hold rows of a chat. Where a layer holds no files of rows it has
`traces(scope, question)` instead, which gives the places where the words stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from memcli.model import NOTHING, Record, Workspace
from memcli.search.pattern import Pattern


class Question(NamedTuple):
    """What was asked: `text` are the words with their compiled `pattern` ("" and None where a session was named), `key`
    the session key that was meant ("" for words)."""

    text: str = ""
    pattern: Pattern | None = None
    key: str = ""


class Source(NamedTuple):
    """A file with rows of a chat. `key` is the session that they are of, as far as header, name or record tell.

    `path` is the file to open, `shown` what the user sees for it; `workspace` reads it in the agent's format. `detail`
    are the layer's own facts (the operation that kept a copy, the file that a temporary was to become).
    """

    layer: str
    key: str
    path: str
    shown: str
    workspace: Workspace
    detail: Mapping[str, Any] = NOTHING


class Trace(NamedTuple):
    """One place where the words stand. `record` is None where no record can be read there: a broken line, a text.

    `line` and `row` count from 1. `when` is the time that the place tells ("" where it tells none).
    """

    source: Source
    line: int | None = None
    row: int | None = None
    record: Record | None = None
    text: str = ""
    when: str = ""


class Scope(NamedTuple):
    """Where is looked: the workspaces that the user means, and how naive times are read."""

    workspaces: tuple[Workspace, ...]
    tz: str = ""


class Layer(Protocol):
    """A module of this package."""

    LAYER: str
    LOOKED: str

    def sources(self, scope: Scope) -> Iterator[Source]:
        """The files of this layer that hold or may hold rows of chats, in no promised order."""
        ...

    def traces(self, scope: Scope, question: Question) -> Iterator[Trace]:
        """The places where the words stand. Layers of files of rows have `searched` (searched.py) for it."""
        ...
