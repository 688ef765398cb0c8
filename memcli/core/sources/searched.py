"""The words in files of rows: whole records, and lines that nothing can be read from any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from memcli.core.searching import Match, Searched, Wanted, search
from memcli.core.sources.framework import Question, Source, Trace

MOST = 1000
"""So many places of one file are told apart; a word that stands in every row says nothing."""


def searched(sources: Iterable[Source], question: Question) -> Iterator[Trace]:
    """The places in these files where the words of the question stand, as `grep` matches them."""
    if question.pattern is None:
        return
    wanted = Wanted(limit=MOST)
    for _, group in groupby(sources, lambda source: (source.workspace.agent, source.workspace.root, source.layer)):
        by_path = {source.path: source for source in group}
        first = next(iter(by_path.values()))
        paths = list(by_path)
        for item in search([(first.workspace, paths)], question.pattern, wanted):
            source = by_path[item.ref.path]
            if not source.key or source.layer == "session":
                source = source._replace(key=item.ref.key)
            if isinstance(item, Match):
                yield Trace(source, item.line, item.row, item.record, item.text, item.record.timestamp or "")
            else:
                yield from _broken(source, item)


def _broken(source: Source, found: Searched) -> Iterator[Trace]:
    """Lines that hold the words and cannot be read as records."""
    for sample in found.report.samples:
        if sample.contains:
            yield Trace(source, sample.line)
