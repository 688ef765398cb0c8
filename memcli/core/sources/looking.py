"""Looking through sources of every kind for the words, or for what is about a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core.sources.databases import in_database
from memcli.core.sources.entries import entries
from memcli.core.sources.framework import Question, Source, Trace, Unchecked
from memcli.core.sources.pieces import in_packed, in_pieces
from memcli.core.sources.searched import searched
from memcli.core.sources.texts import in_text

_ONE_BY_ONE = {"text": in_text, "pieces": in_pieces, "packed": in_packed, "database": in_database}


def look(sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The places in these sources, whatever their kinds."""
    yield from searched([source for source in sources if source.kind in ("session", "rows")], question)
    yield from entries([source for source in sources if source.kind == "journal"], question)
    if question.pattern is not None:
        for source in sources:
            if source.kind in _ONE_BY_ONE:
                yield from _ONE_BY_ONE[source.kind](source, question.pattern)
