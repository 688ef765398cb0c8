"""Finding text in sessions: decoded text of every record, whatever its escaping, with the place of each hit."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memcli import times
from memcli.core import listing, rows, selecting
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import NOTHING, Record, SessionRef, Workspace
from memcli.search.pattern import Pattern
from memcli.search.scan import Hit, Report, scan
from memcli.storage.decode import decode
from memcli.storage.lines import count
from memcli.storage.reading import open_regular


class Wanted(NamedTuple):
    """Which records are searched, and what is given back for each file.

    `roles` and `tools` are names, empty for all; `tools` keeps rows that call or answer such a tool. `limit` is the
    most matches per session, `hits` False asks for the reports only, `silent` for those of files with nothing to tell.
    """

    roles: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    invert: bool = False
    limit: int | None = None
    before: int = 0
    after: int = 0
    hits: bool = True
    silent: bool = False
    tz: str = ""


class Match(NamedTuple):
    """One record that matches (or, with `matched` False, a neighbour). `spans` are (start, end) in `text`, the record's."""

    ref: SessionRef
    line: int
    row: int
    record: Record
    text: str
    flaw: str
    spans: tuple[tuple[int, int], ...]
    matched: bool


class Searched(NamedTuple):
    """What became of one session file: how many matches, and what was passed over in it."""

    ref: SessionRef
    report: Report


def search(
    targets: Iterable[tuple[Workspace, list[str]]],
    pattern: Pattern,
    wanted: Wanted,
    jobs: int = 2,
    sessions: Mapping[str, SessionRef] = NOTHING,
) -> Iterator[Match | Searched]:
    """Search the files of each workspace in order; for each file with something to tell its matches, then its Searched.

    `sessions` are the sessions of files that do not tell it themselves, by path.
    """
    keep = keeper(wanted)
    for workspace, paths in targets:
        form = load(workspace.agent)
        known: dict[str, SessionRef] = {}
        found = scan(
            paths,
            pattern,
            texts(form, wanted),
            is_preamble=_leading(form),
            invert=wanted.invert,
            limit=wanted.limit,
            hits=wanted.hits,
            before=wanted.before,
            after=wanted.after,
            jobs=jobs,
            silent=wanted.silent,
        )
        for item in found:
            if item.path not in known:
                known = {item.path: sessions.get(item.path) or _reference(form, workspace, item.path)}
            ref = known[item.path]
            if isinstance(item, Report):
                yield Searched(ref, item if wanted.hits else _numbered(item))
            else:
                yield from _matches(form, ref, item, pattern, keep, wanted.invert)


def _leading(form: Format) -> Callable[[bytes], bool]:
    return lambda raw: rows.is_preamble(form, decode(raw))


def targets(
    sessions: Sequence[str], named: list[str] | None, agent: str | None, tz: str
) -> list[tuple[Workspace, list[str]]]:
    """The files to search: those of the named sessions, else of every workspace found, in the order of their paths."""
    from memcli.core import discovering

    if sessions:
        refs = selecting.several(list(sessions), named, agent, tz)
        return [(ref.workspace, [ref.path]) for ref in refs]
    return [(workspace, sorted(listing.paths(workspace))) for workspace in discovering.find(named, agent)]


def texts(form: Format, wanted: Wanted) -> Callable[[bytes], list[str] | None]:
    """The callback that gives the search the texts of a line's records, those that are not asked for left out."""
    record = form.records.record
    keep = keeper(wanted)

    if keep is None:

        def plain(raw: bytes) -> list[str] | None:
            values = decode(raw).values
            return [record(value).text for value in values] if values else None

        return plain

    def chosen(raw: bytes) -> list[str] | None:
        values = decode(raw).values
        if not values:
            return None
        return [message.text for message in map(record, values) if keep(message)]

    return chosen


def keeper(wanted: Wanted) -> Callable[[Record], bool] | None:
    """The test for --role, --tool, --since and --until; None when every record is wanted."""
    now = time.time()
    start = times.since(wanted.since, now, wanted.tz) if wanted.since else None
    end = times.until(wanted.until, now, wanted.tz) if wanted.until else None
    if not (wanted.roles or wanted.tools or start is not None or end is not None):
        return None
    roles, tools = set(wanted.roles), set(wanted.tools)

    def keep(record: Record) -> bool:
        if roles and record.role not in roles:
            return False
        if tools and record.name not in tools and not any(call.name in tools for call in record.calls):
            return False
        if start is None and end is None:
            return True
        moment = times.parse(record.timestamp, wanted.tz)
        # a record without a time is neither before nor after: it is not asked for
        return moment is not None and (start is None or moment >= start) and (end is None or moment <= end)

    return keep


def as_json(match: Match, tz: str) -> dict[str, Any]:
    """The documented JSON object of one match."""
    value = rows.as_json(match.ref, match.line, match.row, match.record, match.flaw, tz)
    value["type"] = "match" if match.matched else "context"
    value["spans"] = [list(span) for span in match.spans]
    return value


def _reference(form: Format, workspace: Workspace, path: str) -> SessionRef:
    """The session in a file that there is something to say about, its key from the header."""
    key = listing.header_key(form, path) or form.layout.key_of(workspace, path)
    return SessionRef(form.name, key, path, listing.shown(workspace, path), workspace)


def _numbered(report: Report) -> Report:
    """`report` with the line numbers of the places it names, which a search that gives no hits has not counted."""
    if not report.containing:
        return report
    try:
        fd = open_regular(report.path)
    except CannotRead:
        return report
    try:
        samples = [
            sample._replace(line=count(fd, sample.offset).newlines + 1) if sample.contains else sample
            for sample in report.samples
        ]
    finally:
        os.close(fd)
    return report._replace(samples=tuple(samples))


def _matches(
    form: Format, ref: SessionRef, hit: Hit, pattern: Pattern, keep: Callable[[Record], bool] | None, invert: bool
) -> Iterator[Match]:
    values = decode(hit.raw)
    for record in rows.records(form, values):
        text = record.text
        spans: tuple[tuple[int, int], ...] = ()
        if hit.matched:
            if keep and not keep(record):
                continue
            spans = () if invert else tuple(pattern.spans(text))
            if not spans and pattern.search(text) is invert:
                continue  # glued lines: only the record that matches
        yield Match(ref, hit.line, hit.row, record, text, values.flaw, spans, hit.matched)
