"""The words in what memcli keeps away from its place: bytes cut out of files, and gzipped rows."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.rows import is_preamble
from memcli.core.sources.framework import Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import Record
from memcli.search.lenient import contains
from memcli.search.pattern import Pattern
from memcli.storage import quarantine
from memcli.storage.decode import decode
from memcli.storage.lines import MAX_LINE, is_blank
from memcli.storage.reading import open_regular

UNPACKED = 1 << 30
"""So many bytes of one packed file are looked at."""


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
    """The rows of a gzipped file that have the words."""
    form = load(source.workspace.agent)
    leading, number, places = True, 0, 0
    for line, raw in enumerate(packed_lines(source), 1):
        if isinstance(raw, Unchecked):
            yield raw
            return
        if is_blank(raw):
            continue
        leading = leading and is_preamble(form, decode(raw))
        number += not leading
        for record, text in () if leading else _found(form, raw, pattern):
            places += 1
            yield Trace(source, line, number, record, text, (record and record.timestamp) or "")
        if places >= MOST:
            return


def packed_lines(source: Source) -> Iterator[bytes | Unchecked]:
    """The lines of a gzipped file without their ends, as far as it can be unpacked."""
    import gzip
    import zlib

    size = 0
    try:
        with os.fdopen(open_regular(source.path), "rb") as packed, gzip.open(packed) as file:
            while raw := file.readline(MAX_LINE):
                size += len(raw)
                if size > UNPACKED or len(raw) == MAX_LINE:
                    yield Unchecked(f"{source.shown}: what lies behind its first {size >> 20} MiB")
                    return
                yield raw.removesuffix(b"\n")
    except CannotRead as error:
        yield Unchecked(f"{source.shown}: {error.facts['why']}")
    except (OSError, EOFError, zlib.error):
        yield Unchecked(f"{source.shown}: it is no whole gzip file")


def _found(form: Format, raw: bytes, pattern: Pattern) -> Iterator[tuple[Record | None, str]]:
    """The records on a line that have the words, with their text; the line itself where it gives no record."""
    values = decode(raw).values
    for value in values:
        record = form.records.record(value)
        if pattern.search(record.text):
            yield record, record.text
    if not values and contains(raw, pattern):
        yield None, raw.decode("utf-8", "replace")
