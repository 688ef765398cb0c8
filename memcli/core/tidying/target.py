"""The summary that stays, and what moves into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
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
        self._said: defaultdict[tuple[str, ...], list[Said]] = defaultdict(list)
        self._verbatim: set[str] = set()
        self._behind: defaultdict[int, list[bytes]] = defaultdict(list)
        """What is added behind the line with this index, -1 for before the first."""
        self._opened: dict[tuple[str, ...], tuple[list[bytes], int]] = {}
        """Sections that were added: where their lines are, and the place behind the last of them."""
        for row in rows:
            self.learn(row)

    def says(self, row: Row) -> bool:
        """Whether all that a line says is said here, under the same subject: each of its statements, or the line as one."""
        return self._all(row, repeats)

    def changes(self, row: Row) -> bool:
        """Whether another value is given here for something that a line says."""
        return any(changes(one, other) for one in row.facts for other in self._said[row.subject])

    def is_about(self, row: Row) -> bool:
        """Whether all that a line is about is spoken of here."""
        return self._all(row, akin)

    def has(self, row: Row) -> bool:
        """Whether what is verbatim stands here."""
        return row.words in self._verbatim

    def learn(self, row: Row) -> None:
        """Count what a line says as said here."""
        if row.kind == FACT:
            self._said[row.subject] += row.facts
            self._said[row.subject] += [row.whole] if row.whole and len(row.facts) > 1 else []
            self.words |= {word for one in row.facts for word in one.tokens}
        elif row.kind == VERBATIM:
            self._verbatim.add(row.words)

    def take(self, older: Sequence[Row], moving: Sequence[int]) -> None:
        """Add these lines of another body below the headings that they have there."""
        for heads, several in groupby(moving, key=lambda at: older[at].heads):
            lines = [older[at] for at in several]
            self._add(older, heads, lines)
            self.moved += len(lines)
            for row in lines:
                self.learn(row)

    def body(self) -> bytes:
        """All of it."""
        pieces = [*self._behind[-1]]
        for at, row in enumerate(self.rows):
            more = self._behind[at]
            pieces += [row.raw if row.raw.endswith(b"\n") or not more else row.raw + self.end, *more]
        return b"".join(pieces)

    def _all(self, row: Row, judge: Callable[[Said, Said], bool]) -> bool:
        there = self._said[row.subject]
        if row.whole and any(judge(row.whole, other) for other in there):
            return True
        return all(any(judge(one, other) for other in there) for one in row.facts)

    def _add(self, older: Sequence[Row], heads: Sequence[int], lines: Sequence[Row]) -> None:
        titles = path(older, lines[0])
        if titles in self._opened:
            behind, at = self._opened[titles]
            text = self._ended(row.raw for row in lines)
            behind[at:at] = text
            self._opened = {
                key: (other, end + len(text) if other is behind and end >= at else end)
                for key, (other, end) in self._opened.items()
            }
            return
        place, known = self._section(titles)
        missing = [older[at].raw for at in heads[known:]]
        text = self._ended([*missing, *(row.raw for row in lines)])
        behind = self._behind[place]
        if self._apart(place, bool(missing), lines[0], behind):
            text.insert(0, self.end)
        following = self.rows[place + 1] if place + 1 < len(self.rows) else None
        last = len(behind) - (len(behind) > 1 and not behind[-1].strip())
        if following is not None and following.kind == HEAD and not behind:
            behind.append(self.end)
        behind[last:last] = text
        if missing:
            self._opened[titles] = (behind, last + len(text))

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
