"""The words in files that are no rows: Markdown, notes, one JSON document."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.sources.framework import Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.errors import CannotRead
from memcli.search.lenient import contains
from memcli.search.pattern import Pattern
from memcli.storage.reading import open_sized, unreadable

LIMIT = 16 << 20
"""So many bytes of a text are read; no memory that an agent gives its model is a hundredth as long."""


def in_text(source: Source, pattern: Pattern) -> Iterator[Trace | Unchecked]:
    """The places in one text: its lines that have the words, also across line ends, and also behind JSON's escapes."""
    try:
        fd, size = open_sized(source.path)
    except CannotRead as error:
        yield Unchecked(f"{source.shown}: {error.facts['why']}")
        return
    try:
        raw = os.pread(fd, LIMIT, 0)
    except OSError as error:
        yield Unchecked(f"{source.shown}: {unreadable(source.path, error).facts['why']}")
        return
    finally:
        os.close(fd)
    if size > LIMIT:
        yield Unchecked(f"{source.shown}: what lies behind its first {LIMIT >> 20} MiB")
    text = _decoded(raw)
    found = False
    for start, stop in pattern.spans(text)[:MOST] if pattern.search(text) else ():
        found = True
        yield Trace(source, text.count("\n", 0, start) + 1, text=line_at(text, start, stop))
    if not found and b"\\" in raw:
        yield from _escaped(source, text, pattern)


def line_at(text: str, start: int, stop: int) -> str:
    """The whole lines around characters `start` to `stop`."""
    end = text.find("\n", stop)
    return text[text.rfind("\n", 0, start) + 1 : len(text) if end < 0 else end].rstrip("\r")


def _escaped(source: Source, text: str, pattern: Pattern) -> Iterator[Trace]:
    places = 0
    for number, line in enumerate(text.split("\n"), 1):
        if "\\" in line and contains(line.encode("utf-8", "surrogatepass"), pattern):
            places += 1
            yield Trace(source, number, text=line)
        if places == MOST:
            return


def _decoded(raw: bytes) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    return raw.replace(b"\0", b"").decode("utf-8", "replace").removeprefix("\ufeff")
