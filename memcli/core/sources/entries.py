"""The words in journals, entry by entry; and the entries that are about a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.core.searching import Wanted, texts
from memcli.core.sources.framework import Question, Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import Record
from memcli.search.pattern import compile_pattern
from memcli.search.scan import Hit, Report, Texts, scan
from memcli.storage.decode import decode


def entries(sources: Sequence[Source], question: Question) -> Iterator[Trace | Unchecked]:
    """The entries that match, each with the session that it says it is about; of a named session, those about it."""
    agents: dict[str, dict[str, Source]] = {}
    for source in sources:
        agents.setdefault(source.workspace.agent, {})[source.path] = source
    for agent, by_path in agents.items():
        form = load(agent)
        pattern = question.pattern or compile_pattern([question.key])
        wanted = texts(form, Wanted()) if question.pattern else _keys(form)
        for item in scan(list(by_path), pattern, wanted, limit=MOST, silent=False):
            source = by_path[item.path]
            if isinstance(item, Report):
                yield from _passed_over(source, item, question)
                continue
            for trace in _traces(form, source, item):
                about = trace.source.key == question.key
                if pattern.search(trace.text) if question.pattern else about:
                    yield trace


def about(record: Record) -> str:
    """The session that an entry of the journal is about, "" where it does not say."""
    return record.name or "" if record.role == "journal" else ""


def _keys(form: Format) -> Texts:
    return lambda raw: [about(form.records.record(value)) for value in decode(raw).values]


def _traces(form: Format, source: Source, hit: Hit) -> Iterator[Trace]:
    for value in decode(hit.raw).values:
        record = form.records.record(value)
        keyed = source._replace(key=about(record) or source.key)
        yield Trace(keyed, hit.line, hit.row, record, record.text, record.timestamp or "")


def _passed_over(source: Source, report: Report, question: Question) -> Iterator[Trace | Unchecked]:
    if report.error:
        yield Unchecked(f"{source.shown}: {report.error.facts['why']}")
    for sample in report.samples if question.pattern else ():
        if sample.contains:
            yield Trace(source, sample.line)
