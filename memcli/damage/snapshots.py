"""What the classes of bytes, lines and headers look at; made by core, read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.model import NOTHING, Edit, Line
from memcli.storage.lines import forward, is_blank
from memcli.storage.shapes import Shapes, gather

if TYPE_CHECKING:
    from memcli.damage.framework import RowsSnapshot
    from memcli.damage.salvage import Verdict
    from memcli.storage.facts import HeaderRules
    from memcli.storage.screen import Screening, Stray, Suspect

NEAR = 4096
EFFORT = 512 << 20
"""So many characters of one file may be read in vain, looking for records in lines that look like the beginnings of many."""
AHEAD = 200_000
"""So many lines of one file are read ahead, all damaged lines together: they may not cost more than the file does."""


class Context:
    """One open file of `size` bytes, and what its format says about values.

    `is_header` tells a header, `likely` a record where the file shows none that is clean. `options` are the class flags
    that repair was given (`encoding`, `eol`), empty for verify. `kind` is session or journal.
    """

    def __init__(
        self,
        path: str,
        fd: int,
        size: int,
        is_header: Callable[[Any], bool],
        likely: Callable[[Any], bool],
        options: Mapping[str, str] = NOTHING,
        kind: str = "session",
    ) -> None:
        self.path, self.fd, self.size, self.options, self.kind = path, fd, size, options, kind
        self.is_header, self.likely = is_header, likely
        self._shapes: Shapes | None = None
        self._ahead = AHEAD

    def shapes(self) -> Shapes:
        """The shapes of the clean records, gathered when first asked for."""
        if self._shapes is None:
            self._shapes = gather(self.fd, self.size, self.is_header, self.likely)
        return self._shapes

    @property
    def exhausted(self) -> bool:
        """Whether so much was tried on damaged lines that the others are better left alone."""
        return self._shapes is not None and self._shapes.effort > EFFORT

    def following(self, line: Line) -> Iterator[Line]:
        """The lines behind `line`; none any more when too many have been read so."""
        if line.ended:
            for found in _forward(self, line.offset + line.length + 1, line.number + 1):
                if self._ahead <= 0:
                    return
                self._ahead -= 1
                yield found

    def read(self, offset: int, length: int) -> bytes:
        """These bytes, as many as there are."""
        import os

        return os.pread(self.fd, max(0, min(length, self.size - offset)), offset)


class LineSnapshot:
    """One line that is no clean record. `row` is 0 for a header; `judged` is the one verdict that all classes go by."""

    def __init__(self, context: Context, suspect: Suspect, checks: int = 0) -> None:
        self.context = context
        self.line, self.row, self.decoded, self.before = suspect
        self._checks = checks
        self._verdict: Verdict | None = None

    @property
    def path(self) -> str:
        return self.context.path

    @property
    def judged(self) -> Verdict:
        if self._verdict is None:
            from memcli.damage.salvage import judge  # and its patterns: healthy files need neither

            line, context = self.line, self.context

            def following() -> Iterator[Line]:
                return context.following(line)

            conflict = None
            if line.raw is not None and line.raw.startswith(b"<<<<<<<"):
                from memcli.damage.conflicts import judge_conflict

                conflict = judge_conflict(line, following, context.is_header)
            self._verdict = conflict or judge(line, self.decoded, context.shapes, following, self.before, self._checks)
        return self._verdict

    @property
    def place(self) -> dict[str, Any]:
        """The members of a finding that say where the line is."""
        length = self.judged.length
        return {"line": self.line.number, "row": self.row or None, "offset": self.line.offset, "length": length}

    def text(self, start: int, end: int) -> bytes:
        """Bytes of what the verdict is on, which may be several lines."""
        return self.context.read(self.line.offset + start, end - start)

    def edits(self, code: str) -> list[Edit]:
        """The verdict's cuts as edits; a line of which nothing is left goes with its newline."""
        verdict = self.judged
        raw = self.line.raw or b""
        if verdict.lines > 1 or verdict.length != len(raw):
            raw = self.text(0, verdict.length)
        base = self.line.offset
        if not verdict.records and not verdict.cuts:
            return [self.removal(code, len(raw))]
        left = _spliced(raw, verdict.cuts)
        if is_blank(left):
            return [self.removal(code, len(raw))]
        top = not self.row
        rows = records = 0
        for line in left.split(b"\n"):
            if is_blank(line):
                continue
            top = (top or self.row == 1) and self._is_header(line)
            rows += not top
            records += not top
        rows -= sum(not is_blank(line) for line in raw.split(b"\n")) if self.row else 0
        edits = [Edit(base + start, end - start, new, code) for start, end, new in verdict.cuts]
        edits[0] = edits[0]._replace(rows=rows, row=self.row, records=records - (verdict.before if self.row else 0))
        return edits

    def removal(self, code: str, length: int) -> Edit:
        """The edit that takes the line away."""
        row = self.row
        return Edit(
            self.line.offset,
            length + self.line.ended,
            b"",
            code,
            -1 if row else 0,
            row,
            -self.judged.before if row else 0,
        )

    def holds_header(self) -> bool:
        """Whether the line, once it is mended, is or begins with a header."""
        verdict = self.judged
        raw = self.line.raw if verdict.lines == 1 else self.text(0, verdict.length)
        if raw is None or not verdict.records:
            return False
        return any(map(self._is_header, _spliced(raw, verdict.cuts).split(b"\n")))

    def _is_header(self, line: bytes) -> bool:
        from memcli.storage.decode import decode

        values = decode(line).values
        return len(values) == 1 and self.context.is_header(values[0])


class WholeSnapshot(NamedTuple):
    """One file as a whole. `head` and `tail` are its first and last bytes (64 KiB). In the scope "bytes" `screening` has the
    counts, and `seal` what was sealed of it (storage/seals.py), None where it was not."""

    context: Context
    head: bytes
    tail: bytes
    screening: Screening | None = None
    seal: Any = None

    @property
    def path(self) -> str:
        return self.context.path

    @property
    def size(self) -> int:
        return self.context.size


class HeaderSnapshot(NamedTuple):
    """The top of a session file whose format has headers.

    `leading` are the header lines with their values, `first` what stands where the header belongs when it is not there (its
    line with its verdict), `strays` headers further down. `told` is the key that the file's name tells and no other could,
    "" when it tells none. `expected` gives the name that a key maps to, None where no rule does. `rows` are the facts, None
    when only the header is judged. `stamp` gives the stored time of an entry, `members` the whole members of a torn
    header, `preview` the last asker's words. `changed` is the file's own time, as the agent would write it.
    """

    context: Context
    rules: HeaderRules
    name: str
    leading: tuple[tuple[Line, Any], ...]
    first: LineSnapshot | None
    strays: tuple[Stray, ...]
    told: str = ""
    expected: Callable[[str], str | None] = lambda key: None
    rows: RowsSnapshot | None = None
    stamp: Callable[[int], str | None] = lambda entry: None
    members: Callable[[bytes], dict[str, Any]] = lambda raw: {}
    preview: Callable[[], str] = lambda: ""
    changed: str = ""

    @property
    def path(self) -> str:
        return self.context.path

    @property
    def headers(self) -> list[tuple[Line, dict[str, Any]]]:
        """The leading lines that are headers: a format may keep other things there too."""
        return [(line, value) for line, value in self.leading if self.context.is_header(value)]


def _forward(context: Context, offset: int, number: int) -> Iterator[Line]:
    """The lines from a byte on; the first few, which are mostly all that is wanted, without reading far."""
    near = context.read(offset, NEAR)
    place = 0
    while (end := near.find(b"\n", place)) >= 0:
        yield Line(number, offset, end - place, near[place:end], True)
        offset += end - place + 1
        place = end + 1
        number += 1
    yield from forward(context.fd, offset, number, context.size)


def _spliced(raw: bytes, cuts: tuple[tuple[int, int, bytes], ...]) -> bytes:
    made = []
    place = 0
    for start, end, new in cuts:
        made += [raw[place:start], new]
        place = end
    return b"".join([*made, raw[place:]])
