"""The words in what memcli keeps away from its place: bytes cut out of files, and gzipped rows."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.sources.framework import Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import Record
from memcli.search.lenient import contains
from memcli.search.pattern import Pattern
from memcli.storage import quarantine, row_archive
from memcli.storage.decode import decode
from memcli.storage.lines import MAX_LINE
from memcli.storage.row_archive import Broken


def in_pieces(source: Source, pattern: Pattern) -> Iterator[Trace | Unchecked]:
    """The pieces of one quarantined file that have the words, each with its code and the byte where it stood."""
    form = load(source.workspace.agent)
    places = 0
    try:
        for row, piece in quarantine.pieces(source.detail["store"], source.detail["folder"]):
            if row["path"] != source.detail["path"]:
                continue
            there = source._replace(detail={**source.detail, "code": row["code"], "offset": row["offset"]})
            for raw in piece.split(b"\n"):
                for record, text in _found(form, raw, pattern):
                    places += 1
                    yield Trace(there, record=record, text=text, when=(record and record.timestamp) or "")
            if places >= MOST:
                return
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Unchecked(f"{source.shown}: it is damaged ({error})")


def in_packed(source: Source, pattern: Pattern) -> Iterator[Trace | Unchecked]:
    """The rows of a session that are in memcli's archive and have the words."""
    form = load(source.workspace.agent)
    found = row_archive.series(source.path)
    broken: list[Broken] = []
    places = 0
    for one in row_archive.lines(found, broken) if found else ():
        if one.line.raw is None:
            yield Unchecked(f"{source.shown}: a line of more than {MAX_LINE >> 20} MiB")
        elif one.row:
            for record, text in _found(form, one.line.raw, pattern):
                places += 1
                yield Trace(source, one.line.number, one.row, record, text, (record and record.timestamp) or "")
        if places >= MOST:
            return
    for place in broken:
        yield Unchecked(place.sentence.removesuffix("."))


def _found(form: Format, raw: bytes, pattern: Pattern) -> Iterator[tuple[Record | None, str]]:
    """The records on a line that have the words, with their text; the line itself where it gives no record."""
    values = decode(raw).values
    for value in values:
        record = form.records.record(value)
        if pattern.search(record.text):
            yield record, record.text
    if not values and contains(raw, pattern):
        yield None, raw.decode("utf-8", "replace")
