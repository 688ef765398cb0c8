"""Asking one layer of `doctor` where words stand, or what it knows of a session."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from memcli.core import discovering
from memcli.core.sources.framework import Question, Scope, Source, Trace, Unchecked
from memcli.search.pattern import compile_pattern


class Looked(NamedTuple):
    """What a layer gave: its sources, the places, and what it could not look at."""

    sources: list[Source]
    traces: list[Trace]
    unchecked: list[str]

    def places(self, *details: str) -> list[tuple[Any, ...]]:
        """(layer, key, file name, line, row, text) of each place, and these details of its source."""
        return [
            (
                trace.source.layer,
                trace.source.key,
                Path(trace.source.path).name,
                trace.line,
                trace.row,
                trace.text,
                *(trace.source.detail.get(name) for name in details),
            )
            for trace in self.traces
        ]


def look(layer: ModuleType, *places: Path, words: str = "", key: str = "", agent: str | None = None) -> Looked:
    """Ask a layer about words, or about a session, in the workspaces at these places."""
    scope = Scope(tuple(discovering.find([str(place) for place in places], agent)))
    question = Question(words, compile_pattern([words])) if words else Question(key=key)
    given = list(layer.sources(scope))
    sources = [item for item in given if isinstance(item, Source)]
    traces = list(layer.traces(scope, sources, question)) if words or key else []
    return Looked(
        sources,
        [item for item in traces if isinstance(item, Trace)],
        [item.sentence for item in (*given, *traces) if isinstance(item, Unchecked)],
    )
