"""One file judged by every class that looks at one file: as a whole, line by line, its header, its rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from memcli.core.clocks import seconds_of
from memcli.core.halving import Half, second_half
from memcli.damage import limits, module_of, modules
from memcli.damage.framework import ClassModule, RowsSnapshot
from memcli.damage.snapshots import Context, HeaderSnapshot, LineSnapshot, WholeSnapshot
from memcli.errors import CannotRead
from memcli.formats import effects, load, rules
from memcli.formats.facets import Format
from memcli.formats.protocols import Rules
from memcli.model import NOTHING, Finding, Line, Workspace
from memcli.storage.collecting import Collector
from memcli.storage.decode import decode
from memcli.storage.facts import Facts, HeaderRules
from memcli.storage.lines import count, line_at
from memcli.storage.reading import open_regular
from memcli.storage.screen import Reader, Screening, Suspect

ENDS = 64 << 10
"""Bytes of each end that the classes of whole files see."""
LISTED = 1000
"""So many findings of one class in one file are listed one by one."""
JUDGED = 100_000
TOLD = 20_000
"""So many damaged lines of one file are judged where they may be mended, and where they are only told of."""


class Target(NamedTuple):
    """A file to be judged: `kind` is session or journal, `shown` how it is called in output."""

    path: str
    shown: str
    kind: str
    workspace: Workspace


class Hit(NamedTuple):
    """A finding, with what it takes to mend it. `snapshot` is None where it was found in another process."""

    module: ClassModule
    snapshot: Any
    finding: Finding


class Examination:
    """Judges one file. After `hits` has come to its end, `lines`, `records`, `checks`, `oversize` and `unjudged` (lines without a
    record that were only counted) tell numbers, `rows` has the facts (None: they were not asked for, or the file is no file of
    rows), `header` is the leading header.

    `facts` asks for the classes of rows, `options` are repair's class flags, `limit` is how many findings of a class are
    given one by one (None: all), `split` lets a second process judge half of a large file: its hits have no snapshot.
    `source` is a file with other bytes to be judged as if they stood in the target: what repair plans to write. With `keep`
    the file stays open until `close`: mending some findings reads from it again.
    """

    def __init__(
        self,
        target: Target,
        *,
        facts: bool = True,
        options: Mapping[str, str] = NOTHING,
        tz: str = "",
        limit: int | None = LISTED,
        split: bool = False,
        seal: Callable[[int, int], Any] | None = None,
        source: str = "",
        keep: bool = False,
    ) -> None:
        self.target, self.options, self.limit, self.split, self.tz = target, options, limit, split, tz
        self.source, self.keep = source or target.path, keep
        self.form: Format = load(target.workspace.agent)
        self.rules: Rules = rules(self.form.name, target.workspace.era)
        self.facts = facts
        self.lines = self.records = self.checks = self.oversize = self.unjudged = 0
        self.size = 0
        self.rows: RowsSnapshot | None = None
        self.header: dict[str, Any] = {}
        self.whole = False
        self._seal = seal
        self._fd = -1
        self._place = (0, 1)
        self._plain: int | None = None
        self._spans: list[tuple[int, int]] = []
        self._effects = effects(self.form.name)
        self._counts: dict[str, int] = {}

    def hits(self) -> Iterator[Hit]:
        """Everything that is wrong with the file. Raises CannotRead when it cannot be opened."""
        fd = self._fd = open_regular(self.source)
        try:
            self.size = os.fstat(fd).st_size
            for hit in self._judge(fd):
                more = hit.finding.data.get("more", 0)
                if more:
                    self._counts[hit.finding.code] = self._counts.get(hit.finding.code, 0) + more
                elif self._listed(hit.finding.code):
                    yield hit._replace(finding=self._finished(hit.finding))
            yield from self._unlisted()
        finally:
            if not self.keep:
                self.close()

    def close(self) -> None:
        """Let go of the file; nothing for one that is not open."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def header_rules(self) -> HeaderRules | None:
        """How the header of this file should be; None when it should have none."""
        if self.target.kind != "session" or not self.form.header_members:
            return None
        return self.rules.header_rules(self.target.workspace.era)

    def _judge(self, fd: int) -> Iterator[Hit]:
        context = Context(
            self.target.path, fd, self.size, self._is_header, self._is_likely, self.options, self.target.kind
        )
        head = os.pread(fd, ENDS, 0)
        tail = head if self.size <= ENDS else os.pread(fd, ENDS, self.size - ENDS)
        for module in modules("whole"):
            snapshot = WholeSnapshot(context, head, tail)
            for finding in module.detect(snapshot):
                self.whole = True
                yield Hit(module, snapshot, finding)
            if self.whole:
                if self.facts and not self.size:  # no rows are rows, too: the cursors of an empty journal can be judged
                    self.rows = self._snapshot(Facts(), [], self._screening(context)[0])
                return
        screening, other = self._screening(context)
        held: list[LineSnapshot] = []
        yield from self._lines(context, screening, other, held)
        if other:
            yield from self._others(other, screening)
        # what lies between merge markers is judged with them
        strays = screening.strays = [stray for stray in screening.strays if not self._is_covered(stray.line.offset)]
        self.lines, self.records = screening.lines, screening.rows
        self.checks, self.oversize, self.unjudged = screening.checks, screening.oversize, screening.unjudged
        headers = [value for _, decoded in screening.leading for value in decoded.values if self._is_header(value)]
        self.header = headers[0] if headers else strays[0].value if strays else {}
        if screening.collector:
            self.rows = self._snapshot(screening.collector.facts, headers, screening)
        claimed = False
        rules_here = self.header_rules
        if rules_here and self.lines:
            for hit in self._headers(context, rules_here, screening, held):
                claimed = claimed or bool(held and hit.finding.offset == held[0].line.offset and hit.finding.length)
                yield hit
        if held and not claimed:
            yield from self._on_line(held[0])
        if self.unjudged:
            yield Hit(cast("ClassModule", limits), None, limits.throughout(self.target.path, self.unjudged))
        seal = self._seal(fd, len(screening.leading)) if self._seal else None
        after = WholeSnapshot(context, head, tail, screening, seal)
        for module in modules("bytes"):
            for finding in module.detect(after):
                yield Hit(module, after, finding)
        if self.rows is not None:
            # without blank lines a row's number tells its line's
            self._plain = None if screening.blanks else len(screening.leading)
            yield from self._row_hits(self.rows)

    def _screening(self, context: Context) -> tuple[Screening, Half | None]:
        """The pass over the file, or over its first half while another process takes the second."""
        journal = self.target.kind == "journal"
        columns = self.rules.journal_columns if journal else self.rules.columns
        reader = Reader(
            _never if journal else self.form.records.is_preamble,
            _none if journal else self.rules.headers,
            columns if self.facts else None,
            self.rules.ENDS_AT_CR,
        )

        def fresh() -> Screening:
            collector = Collector(seconds_of(self.tz)) if self.facts else None
            return Screening(reader, collector, JUDGED if self.limit is None else TOLD, lambda: context.exhausted)

        def on_line(suspect: Suspect, checks: int) -> Iterator[Finding]:
            return (hit.finding for hit in self._on_line(LineSnapshot(context, suspect, checks)))

        half = second_half(context.fd, self.size, fresh, on_line, self.form) if self.split else None
        return fresh(), half

    def _lines(
        self, context: Context, screening: Screening, half: Half | None, held: list[LineSnapshot]
    ) -> Iterator[Hit]:
        covered = -1
        for suspect in screening.suspects(context.fd, 0, half.start if half else self.size):
            if suspect.line.offset < covered:
                continue
            snapshot = LineSnapshot(context, suspect, screening.checks)
            if snapshot.judged.lines > 1:
                covered = suspect.line.offset + snapshot.judged.length
                self._spans.append((suspect.line.offset, covered))
            if suspect.row == 1 and self.header_rules and not _has_header(screening, self._is_header):
                held.append(snapshot)  # it stands where the header belongs: the classes of headers have the first word
                continue
            yield from self._on_line(snapshot)

    def _is_covered(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._spans)

    def _on_line(self, snapshot: LineSnapshot) -> Iterator[Hit]:
        # every class of lines goes by the verdict's code, but for what the end of a file lacks
        code = snapshot.judged.code
        asked = [module_of(code)] if snapshot.line.ended and code else modules("line")
        for module in asked:
            for finding in module.detect(snapshot):
                yield Hit(module, snapshot, finding)

    def _others(self, half: Half, screening: Screening) -> Iterator[Hit]:
        for finding in half.collect(screening):
            if finding.offset is not None and self._is_covered(finding.offset):
                continue  # part of a record that began in the first half
            yield Hit(module_of(finding.code), None, finding)

    def _headers(
        self, context: Context, header_rules: HeaderRules, screening: Screening, held: Sequence[LineSnapshot]
    ) -> Iterator[Hit]:
        first: LineSnapshot | None = held[0] if held else None
        if first is None and screening.first is not None:
            line, decoded = screening.first
            first = LineSnapshot(context, Suspect(line, 1, decoded))
        snapshot = HeaderSnapshot(
            context,
            header_rules,
            os.path.basename(self.target.path),
            tuple((line, value) for line, decoded in screening.leading for value in decoded.values),
            first,
            tuple(screening.strays),
            told=self._told(),
            expected=self._expected,
            rows=self.rows,
            stamp=self._stamp,
            members=_whole_members,
            preview=self._preview,
            changed=self.rules.stamp(os.fstat(context.fd).st_mtime),
        )
        for module in modules("header"):
            for finding in module.detect(snapshot):
                yield Hit(module, snapshot, finding)

    def _row_hits(self, rows: RowsSnapshot) -> Iterator[Hit]:
        for module in modules("rows"):
            for finding in module.detect(rows):
                yield Hit(module, rows, finding)

    def _line_of(self, row: int | None, offset: int) -> int:
        """The number of the line that starts at a byte."""
        if row is not None and self._plain is not None:
            return row + self._plain
        place, number = self._place if self._place[0] <= offset else (0, 1)
        number += count(self._fd, offset, place).newlines
        self._place = (offset, number)
        return number

    def _snapshot(self, facts: Facts, headers: Sequence[Any], screening: Screening) -> RowsSnapshot:
        journal = self.target.kind == "journal"
        header = headers[0] if headers else None
        line: Line | None = None
        for found, decoded in screening.leading:
            if header is not None and decoded.values and decoded.values[0] is header:
                line = found
        key = header.get("key") if isinstance(header, dict) else None
        return RowsSnapshot(
            self.target.path,
            facts,
            self.rules.JOURNAL if journal else self.rules.ROWS,
            key=key if isinstance(key, str) else "" if journal else self._named(),
            header=header if isinstance(header, dict) else None,
            header_line=line,
            raw=self._raw,
            decode=decode,
            kind=self.target.kind,
            home=self._home,
            others=[
                (found, value)
                for found, decoded in screening.leading
                for value in decoded.values
                if value not in headers
            ],
            limit=self.limit,
        )

    def _raw(self, offset: int) -> bytes:
        """The line that starts at a byte, with its newline."""
        if self._fd >= 0:
            return line_at(self._fd, offset)
        try:
            fd = open_regular(self.source)
        except CannotRead:  # it is gone, as a temporary file soon is: no row of it is whole any more
            return b""
        try:
            return line_at(fd, offset)
        finally:
            os.close(fd)

    def _named(self) -> str:
        return self.form.layout.key_of(self.target.workspace, self.target.path)

    def _told(self) -> str:
        """The key that the file's name tells, if that key maps back to this very name and is no guess."""
        workspace = self.target.workspace
        key = self._named()
        name = self.form.layout.name_of(key, workspace.era)
        return key if name == os.path.basename(self.target.path) else ""

    def _expected(self, key: str) -> str | None:
        copied = self.target.shown != self.target.path and not self.target.workspace.bundled
        if self.target.workspace.files or copied:
            return None  # a copy, a stream, something unpacked: its name says nothing
        return self.form.layout.name_of(key, self.target.workspace.era)

    def _home(self, key: str) -> str | None:
        name = self.form.layout.name_of(key, self.target.workspace.era)
        return None if name is None else os.path.join(os.path.dirname(self.target.path), name)

    def _stamp(self, entry: int) -> str | None:
        value = self.rows.value(entry) if self.rows else None
        return self.form.records.record(value).timestamp

    def _preview(self) -> str:
        """The text of the last row that somebody asked in."""
        rows = self.rows
        if rows is None:
            return ""
        for entry in range(len(rows.facts) - 1, -1, -1):
            if rows.facts.role(entry) in self.form.askers:
                return self.form.records.record(rows.value(entry)).content
        return ""

    def _is_header(self, value: Any) -> bool:
        return self.target.kind == "session" and self.form.records.header(value) is not None

    def _is_likely(self, value: Any) -> bool:
        return bool(self.form.records.record(value).role)

    def _listed(self, code: str) -> bool:
        seen = self._counts[code] = self._counts.get(code, 0) + 1
        return self.limit is None or seen <= self.limit

    def _unlisted(self) -> Iterator[Hit]:
        """One finding a class for those that were too many to be listed."""
        for code, seen in self._counts.items():
            if self.limit is not None and seen > self.limit:
                module = module_of(code)
                one = next(one for one in module.CLASSES if one.code == code)
                more = seen - self.limit
                message = f"{more:,} more of these in the same file."
                finding = one.finding(self.target.path, message, data={"more": more})
                yield Hit(module, None, self._finished(finding))

    def _finished(self, finding: Finding) -> Finding:
        """The finding as the user sees it: the path as it is called, the effect on the agent."""
        if finding.line is None and finding.offset is not None and not self.whole:
            finding = finding._replace(line=self._line_of(finding.row, finding.offset))
        prefix = "journal:" if self.target.kind == "journal" else ""
        effect = finding.effect or self._effects.get(prefix + finding.code, "")
        return finding._replace(path=self.target.shown, effect=effect)


def screened(target: Target, tz: str) -> RowsSnapshot | None:
    """The rows of a file that is looked at for what others around it need to know; None when it cannot be read."""
    examination = Examination(target, tz=tz)
    try:
        for _ in examination.hits():
            pass
    except (CannotRead, OSError):
        return None
    return examination.rows


def _has_header(screening: Screening, is_header: Callable[[Any], bool]) -> bool:
    return any(is_header(value) for _, decoded in screening.leading for value in decoded.values)


def _whole_members(raw: bytes) -> dict[str, Any]:
    from memcli.formats.reading import whole_members

    return whole_members(raw.decode("utf-8", "replace"))


def _never(value: Any) -> bool:
    return False


def _none(values: Sequence[Any]) -> Sequence[int]:
    return ()
