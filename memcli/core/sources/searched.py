"""The words in files of rows: whole records, and lines that nothing can be read from any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memcli.core import listing
from memcli.core.searching import Match, Searched, Wanted, search
from memcli.core.sources.framework import Question, Source, Trace, Unchecked
from memcli.formats import load
from memcli.storage.lines import MAX_LINE

MOST = 20
"""So many places of one file are told apart; a word that stands in every row says nothing."""


def searched(sources: Iterable[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The places in these files where the words of the question stand, as `grep` matches them. A session file's key is the
    one in its header, where that has one."""
    if question.pattern is None:
        return
    agents: dict[str, dict[str, Source]] = {}
    for source in sources:
        agents.setdefault(source.workspace.agent, {})[source.path] = source
    for by_path in agents.values():
        first = next(iter(by_path.values()))
        place, source = "", first
        for item in search([(first.workspace, list(by_path))], question.pattern, Wanted(limit=MOST)):
            if item.ref.path != place:
                place = item.ref.path
                source = _keyed(by_path[place])
            if isinstance(item, Match):
                yield Trace(source, item.line, item.row, item.record, item.text, item.record.timestamp or "")
            else:
                yield from _passed_over(source, item)


def _keyed(source: Source) -> Source:
    if source.kind != "session" and source.key:
        return source
    key = listing.header_key(load(source.workspace.agent), source.path)
    return source._replace(key=key) if key else source


def _passed_over(source: Source, found: Searched) -> Iterator[Trace | Unchecked]:
    """Lines that hold the words and cannot be read as records; what could not be searched."""
    report = found.report
    for sample in report.samples:
        if sample.contains:
            yield Trace(source, sample.line)
    if report.error:
        yield Unchecked(f"{source.shown}: {report.error.facts['why']}")
    if report.oversize:
        lines = "a line" if report.oversize == 1 else f"{report.oversize} lines"
        yield Unchecked(f"{source.shown}: {lines} of more than {MAX_LINE >> 20} MiB")
