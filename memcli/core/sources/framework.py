"""Where a chat, or words of one, can still be: the sources that `doctor` looks in, layer by layer.

A module of this package is one layer. It has LOOKED (what was looked at, for people), `sources(scope)`, which gives the
files that may hold rows of a chat, and `traces(scope, sources, question)`, which gives the places in them where the words
stand. What could not be looked at is given as Unchecked among either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memcli.model import NOTHING, Record, Workspace
from memcli.search.pattern import Pattern


class Question(NamedTuple):
    """What was asked: `text` are the words with their compiled `pattern` ("" and None where a session was named), `key`
    the session key that was meant ("" for words). `words`: nothing holds the key as words, either."""

    text: str = ""
    pattern: Pattern | None = None
    key: str = ""
    words: bool = False


class Source(NamedTuple):
    """A file with rows of a chat. `key` is the session that they are of, as far as header, name or record tell.

    `layer` is the word that verdicts name. `path` is the file to open, `shown` what the user sees for it; `workspace` reads
    it in the agent's format. `detail` are the layer's own facts (the operation that kept a copy, the file that a temporary
    was to become). `kind` tells what stands there: "session" (a file of rows in its place: the key in its header counts),
    "rows" (any other file of rows), "packed" (the same, gzipped), "pieces" (bytes cut out of files), "text", "database".
    """

    layer: str
    key: str
    path: str
    shown: str
    workspace: Workspace
    detail: Mapping[str, Any] = NOTHING
    kind: str = "rows"


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


class Unchecked(NamedTuple):
    """What could not be looked at, or not to its end: a sentence without its full stop."""

    sentence: str


class Scope(NamedTuple):
    """Where is looked: the workspaces that the user means, and how naive times are read."""

    workspaces: tuple[Workspace, ...]
    tz: str = ""


class Layer(Protocol):
    """A module of this package."""

    LOOKED: str

    def sources(self, scope: Scope) -> Iterator[Source | Unchecked]:
        """The files of this layer that hold or may hold rows of chats, in no promised order."""
        ...

    def traces(self, scope: Scope, sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
        """The places in these sources where the words stand; of a session that was named, those that are known to be
        about it without being rows of it (entries of the journal)."""
        ...
