"""The summary that stays, and what moves into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from memcli.core.tidying.alike import Said, akin, changes, repeats
from memcli.core.tidying.passage import BLANK, FACT, HEAD, VERBATIM, Row, path


class Target:
    """A body to which lines of others are added: its own lines stay as they are, in their order. `words` are all those that it
    says, `moved` is how many lines came in."""

    def __init__(self, body: bytes, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.end = b"\r\n" if b"\r\n" in body else b"\n"
        self.words: set[str] = set()
        self.moved = 0
        self._said: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
        self._keys: set[tuple[tuple[str, ...], str]] = set()
        self._verbatim: set[str] = set()
        self._behind: defaultdict[int, list[bytes]] = defaultdict(list)
        """What is added behind the line with this index, -1 for before the first."""
        self._opened: dict[tuple[str, ...], tuple[list[bytes], int]] = {}
        """Sections that were added: where their lines are, and the place behind the last of them."""
        for row in rows:
            self.learn(row)

    def says(self, row: Row) -> bool:
        """Whether all that a line says is said here in one line, under the same subject."""
        return self._any(row, repeats)

    def changes(self, row: Row) -> bool:
        """Whether another value is given here for something that a line says."""
        there = [other for line in self._said[row.subject] for other in line.facts]
        return any(changes(one, other) for one in row.facts for other in there)

    def is_about(self, row: Row) -> bool:
        """Whether what a line is about is spoken of here in one line."""
        return self._any(row, akin)

    def has(self, row: Row) -> bool:
        """Whether what is verbatim stands here."""
        return row.words in self._verbatim

    def learn(self, row: Row) -> None:
        """Count what a line says as said here."""
        if row.kind == FACT:
            assert row.whole is not None
            if (row.subject, row.whole.key) not in self._keys:
                self._keys.add((row.subject, row.whole.key))
                self._said[row.subject].append(row)
            self.words |= {word for one in row.facts for word in one.tokens}
        elif row.kind == VERBATIM:
            self._verbatim.add(row.words)

    def take(self, older: Sequence[Row], moving: Sequence[int]) -> None:
        """Add these lines of another body below the headings that they have there."""
        for heads, several in groupby(moving, key=lambda at: older[at].heads):
            places = list(several)
            self._add(older, heads, places)
            self.moved += len(places)
            for at in places:
                self.learn(older[at])

    def body(self) -> bytes:
        """All of it."""
        pieces = [*self._behind[-1]]
        for at, row in enumerate(self.rows):
            more = self._behind[at]
            pieces += [row.raw if row.raw.endswith(b"\n") or not more else row.raw + self.end, *more]
        return b"".join(pieces)

    def _any(self, row: Row, judge: Callable[[Said, Said], bool]) -> bool:
        """Whether one line here stands to this one as `judge` says: as a whole, or each sentence of it to something there."""
        assert row.whole is not None
        if (row.subject, row.whole.key) in self._keys:
            return True
        for line in self._said[row.subject]:
            assert line.whole is not None
            there = (line.whole, *line.facts, *line.clauses)
            if judge(row.whole, line.whole) or all(any(judge(one, other) for other in there) for one in row.facts):
                return True
        return False

    def _add(self, older: Sequence[Row], heads: Sequence[int], places: Sequence[int]) -> None:
        first = older[places[0]]
        titles = path(older, first)
        lines = [*self._spaced(older, places)]
        if titles in self._opened:
            behind, at = self._opened[titles]
            text = self._ended([*([] if first.listed else [self.end]), *lines])
            behind[at:at] = text
            self._opened = {
                key: (other, end + len(text) if other is behind and end >= at else end)
                for key, (other, end) in self._opened.items()
            }
            return
        place, known = self._section(titles)
        missing = [older[at].raw for at in heads[known:]]
        text = self._ended([*missing, *lines])
        behind = self._behind[place]
        if self._apart(place, bool(missing), first, behind):
            text.insert(0, self.end)
        following = self.rows[place + 1] if place + 1 < len(self.rows) else None
        last = len(behind) - (len(behind) > 1 and not behind[-1].strip())
        if following is not None and following.kind == HEAD and not behind:
            behind.append(self.end)
        behind[last:last] = text
        if missing:
            self._opened[titles] = (behind, last + len(text))

    def _spaced(self, older: Sequence[Row], places: Sequence[int]) -> Iterator[bytes]:
        """The lines, with a blank one where such stood between two of them."""
        before = places[0]
        for at in places:
            if any(not older[other].raw.strip() for other in range(before + 1, at)):
                yield self.end
            yield older[at].raw
            before = at

    def _ended(self, lines: Iterable[bytes]) -> list[bytes]:
        return [line if line.endswith(b"\n") else line + self.end for line in lines]

    def _apart(self, place: int, headed: bool, first: Row, before: Sequence[bytes]) -> bool:
        """Whether a blank line must go before what is added there."""
        if place < 0 and not before:
            return False
        last = self.rows[place] if place >= 0 else None
        if headed:
            return True
        if last is not None and last.kind == HEAD and not before:
            return False
        return not (first.listed and (before or (last is not None and (last.listed or last.above))))

    def _section(self, titles: tuple[str, ...]) -> tuple[int, int]:
        """The index of the line behind which something under these headings is added, and how many of them are there."""
        for known in range(len(titles), 0, -1):
            at = next((n for n, row in self._heads() if (*path(self.rows, row), row.title) == titles[:known]), None)
            if at is not None:
                whole = known < len(titles)
                return self._last(at, self.rows[at].depth if whole else None), known
        return (self._last(-1, None) if not titles else self._last(-1, 0)), 0

    def _heads(self) -> list[tuple[int, Row]]:
        return [(at, row) for at, row in enumerate(self.rows) if row.kind == HEAD]

    def _last(self, at: int, depth: int | None) -> int:
        """The last line that says something below the line `at`: up to the next heading, or up to the next that is no deeper than
        `depth`."""
        last = at
        for number in range(at + 1, len(self.rows)):
            row = self.rows[number]
            if row.kind == HEAD and (depth is None or row.depth <= depth):
                break
            if row.kind != BLANK or row.raw.strip():
                last = number
        return last
