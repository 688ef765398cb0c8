"""Which rows of a session are summarised next: those behind the last summary, up to where a turn begins that stays."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memcli.core import row_marks, sealing, states, turns
from memcli.core.compact import marks
from memcli.core.compact.marks import Mark
from memcli.core.rows import Row, decoded, is_preamble
from memcli.core.turns import Turn
from memcli.errors import RefusedForSafety
from memcli.formats import compacting, load, rules
from memcli.model import NOTHING, Record, SessionRef
from memcli.storage.decode import decode
from memcli.storage.lines import forward, is_blank
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.versions import CHUNK, Version, version_of

MOST = 10_000
"""Rows that are summarised in one run: they are in memory."""
LONGEST = 4000
"""Characters of a row that are read for a summary."""
HARMLESS = ("", "lone-surrogate", "nan", "duplicate-keys")
"""Flaws of rows that every agent reads all the same, as one row."""


class Span(NamedTuple):
    """One session, as it was read: `head` are the leading lines with their ends, `header` the one of them that counts, `first`
    the first row as decoded. `places` has where each row begins, and where the last ends; `digests` are those of the rows. A
    summary stands for the first `summarised` rows, as the agent or memcli's `mark` says. `archived` rows were taken out before.
    `tokens` of each row, where they were asked for."""

    ref: SessionRef
    version: Version
    head: tuple[bytes, ...]
    header: Mapping[str, Any]
    first: Any
    places: array[int]
    digests: tuple[str, ...]
    turns: tuple[Turn, ...]
    summarised: int
    archived: int
    mark: Mark
    tokens: array[int]

    @property
    def rows(self) -> int:
        return len(self.digests)

    @property
    def summary(self) -> str:
        """The text of the summary that the agent reads now."""
        return compacting(self.ref.agent).summary(self.header, self.first)

    def bytes(self, first: int, last: int) -> Iterator[bytes]:
        """The rows from index `first` to before `last`, with what stands between them, as they are."""
        position, end = self.places[first], self.places[last]
        fd = open_regular(self.ref.path)
        try:
            while position < end:
                piece = os.pread(fd, min(CHUNK, end - position), position)
                if not piece:
                    break  # it was cut meanwhile: whoever compares the versions tells
                position += len(piece)
                yield piece
        finally:
            os.close(fd)

    def said(self, first: int, last: int) -> Iterator[tuple[int, Record]]:
        """What was said in these rows, each with its number counted from the first row that ever was, cut at LONGEST."""
        form, facet = load(self.ref.agent), compacting(self.ref.agent)
        fd = open_regular(self.ref.path)
        try:
            row = first
            for line in forward(fd, self.places[first], end=self.places[last]):
                if line.raw is None or is_blank(line.raw):
                    continue
                row += 1
                for value in decode(line.raw).values[:1]:
                    if not facet.unsaid(value):
                        record = form.records.record(value)
                        yield self.archived + row, record._replace(content=record.content[:LONGEST], reasoning="")
        except OSError as error:
            raise unreadable(self.ref.path, error) from error
        finally:
            os.close(fd)

    def cut(self, keep: int, budget: int | None = None, before: int | None = None) -> int:
        """The index of the first row that stays: at least `keep` do, or with a `budget` as many as have no more tokens; all from
        index `before` on. Not below what is summarised."""
        if budget is None:
            found = turns.kept(self.turns, keep)
        else:
            start = next((turn.first for turn in self.turns if turn.last >= self.summarised), 0)
            behind = [Turn(turn.first - start, turn.last - start) for turn in self.turns if turn.first >= start]
            found = start + turns.fitting(behind, self.tokens[start:], budget, keep)
        bound = min(found, self.rows if before is None else before)
        starts = [turn.first for turn in self.turns]
        if bound > self.summarised + MOST:
            bound = next((one for one in reversed(starts) if self.summarised < one <= self.summarised + MOST), bound)
        return max(self.summarised, max((one for one in starts if one <= bound), default=0))


def read(ref: SessionRef, *, counting: bool = False) -> Span:
    """A session and what stands for its rows; `counting` its tokens as well. Raises CannotRead, RefusedForSafety for one with a
    row, or a header, that its agent may count in another way."""
    fd = open_regular(ref.path)
    try:
        return _Reading(ref, fd, counting).span()
    except OSError as error:
        raise unreadable(ref.path, error) from error
    finally:
        os.close(fd)


class _Reading:
    def __init__(self, ref: SessionRef, fd: int, counting: bool) -> None:
        self.ref, self.fd = ref, fd
        self.form, self.rules = load(ref.agent), rules(ref.agent, ref.workspace.era)
        self.version = version_of(fd)
        self.head: list[bytes] = []
        self.headers: list[Mapping[str, Any]] = []
        self.first: Any = None
        self.places: array[int] = array("q")
        self.digests: list[str] = []
        self.tokens: array[int] = array("q")
        self.count = None
        if counting:
            from memcli.tokens import counter

            self.count = counter()

    def span(self) -> Span:
        ref = self.ref
        found = turns.turns(self._records(), self.form.askers)
        needs = self.rules.header_rules(ref.workspace.era)
        if needs is not None and len(self.headers) != 1:
            raise self._odd(f"it has {'no header' if not self.headers else f'{len(self.headers)} headers'}")
        self.places.append(self.version.size)
        header = self.headers[0] if self.headers else NOTHING
        mark = marks.of(sealing.store(ref.workspace), ref.path)
        era = ref.workspace.era
        told = compacting(ref.agent).summarised(header, len(self.digests), self.first, era)
        noted = mark.locate(self.digests)
        return Span(
            ref,
            self.version,
            tuple(self.head),
            header,
            self.first,
            self.places,
            tuple(self.digests),
            tuple(found),
            max(told, noted),
            states.in_archive(ref),
            mark,
            self.tokens,
        )

    def _records(self) -> Iterator[Record]:
        """The records, one for each row; the lines before them are looked at as well."""
        leading = True
        for line in forward(self.fd, end=self.version.size):
            if line.raw is not None and is_blank(line.raw):
                if leading:
                    self.head.append(line.raw + b"\n" * line.ended)
                continue
            values = decoded(line)
            if leading and is_preamble(self.form, values):
                assert line.raw is not None
                if values.flaw:
                    raise self._odd(f"its header has a flaw ({values.flaw})")
                if self.form.records.header(values.values[0]) is not None:
                    self.headers.append(values.values[0])
                self.head.append(line.raw + b"\n" * line.ended)
                continue
            if leading:
                leading = False
                self.first = values.values[0] if values.values else None
            self._check(Row(line, len(self.digests) + 1, values))
            assert line.raw is not None
            self.places.append(line.offset)
            self.digests.append(row_marks.digest(values.values[0], line.raw))
            record = self.form.records.record(values.values[0])
            if self.count is not None:
                self.tokens.append(self.count(record.text))
            yield record

    def _check(self, row: Row) -> None:
        values, raw = row.decoded, row.line.raw
        where = f"row {row.number}"
        if raw is None or values.flaw not in HARMLESS or len(values.values) != 1:
            raise self._odd(f"{where} cannot be read as one record ({values.flaw or 'more than one'})")
        if not isinstance(values.values[0], dict):
            raise self._odd(f"{where} is no object")
        if self.form.records.is_preamble(values.values[0]):
            raise self._odd(f"{where} is a header")
        if self.rules.ENDS_AT_CR and b"\r" in raw[:-1]:
            raise self._odd(f"{where} has a carriage return in its middle")

    def _odd(self, why: str) -> RefusedForSafety:
        return RefusedForSafety(
            f"{self.ref.shown} is not compacted: {why}, and its agent may count its rows in another way. Nothing was changed; "
            "'memcli repair' mends what can be mended.",
            path=self.ref.path,
            why="damaged",
        )
