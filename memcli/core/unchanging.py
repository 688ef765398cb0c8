"""Undoing one change of a text in a later version of it: what else changed since stays, and nothing is guessed.

The change and what came after it are both differences from one text, that which the change left. Where they touch no line of
each other, the change is taken out; where they do, that is a conflict. Lines end at 0x0A only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from memcli.core.hunks import Hunk, hunks, near, settle, touching
from memcli.storage.passages import lines_of


class Conflict(NamedTuple):
    """A place where the text is not what the change left: `line` of it, from 1, the lines that are `found` there, those that the
    change had `left`, and those that undoing it would `restore`. `moved`: what the change added was moved there."""

    line: int
    found: tuple[bytes, ...]
    left: tuple[bytes, ...]
    restore: tuple[bytes, ...]
    moved: bool = False


class Unchanged(NamedTuple):
    """A text without the change, None where that is no file. With `conflicts` it is the text as it was given."""

    text: bytes | None
    conflicts: tuple[Conflict, ...] = ()


def unchange(before: bytes | None, after: bytes | None, now: bytes | None) -> Unchanged:
    """Undo the change from `before` to `after` in `now`, a later version of `after`; None is no file.

    The text that is given back is `now` itself where nothing of the change is in it any more. Lines that were put right before,
    behind or between those of the change stay; what it took away comes back before what was put into its place since. A file
    that the change made goes only if it is as the change left it. Ends of lines that differ throughout (a checkout with CR LF)
    are those of `now`.
    """
    if now == after:
        return Unchanged(before)
    if now == before or before == after:
        return Unchanged(now)
    if after is None:  # and written anew since
        return Unchanged(now, (Conflict(1, tuple(lines_of(now or b"")), (), tuple(lines_of(before or b""))),))
    three = _Three.of(before or b"", after, now or b"")
    conflicts = three.lost() if now is None else [*three.conflicts(), *three.moved()]
    if conflicts:
        return Unchanged(now, tuple(sorted(conflicts)))
    return Unchanged(three.text() if now is not None and three.stands() else now)


def unchange_through(before: bytes | None, versions: Sequence[bytes | None]) -> Unchanged:
    """The same where the versions in between are known, from the one that the change left to the one in which it is undone: step
    by step, lines that went and others that came in their place later are told from lines that were edited. Where a step has
    conflicts, those that the first and the last version have."""
    found = unchange(before, versions[0], versions[-1])
    without = before
    for after, now in pairwise(versions) if found.conflicts else ():
        step = unchange(without, after, now)
        if step.conflicts:
            return found
        without = step.text
    return Unchanged(without) if found.conflicts else found


class _Side(NamedTuple):
    """One version of a text: its lines, all with an end, and whether the last one really has it."""

    lines: list[bytes]
    ended: bool

    @classmethod
    def of(cls, text: bytes, end: bytes) -> _Side:
        lines = lines_of(text)
        ended = not lines or lines[-1].endswith(b"\n")
        return cls(lines if ended else [*lines[:-1], lines[-1] + end], ended)


class _Three(NamedTuple):
    """Three versions of a text, and how the first and the last differ from that in the middle, which the change left."""

    old: _Side
    base: _Side
    now: _Side
    undone: list[Hunk]
    later: list[Hunk]
    end: bytes

    @classmethod
    def of(cls, before: bytes, after: bytes, now: bytes) -> _Three:
        style = _style(now)
        if style and style != _style(after):
            before, after = _in_style(before, style), _in_style(after, style)
        end = _end(now) or _end(after) or _end(before) or b"\n"
        old, base, text = (_Side.of(one, end) for one in (before, after, now))
        differing = [(one.lines, hunks(base.lines, one.lines)) for one in (old, text)]
        return cls(old, base, text, *settle(base.lines, *differing), end)

    def conflicts(self) -> Iterator[Conflict]:
        """Where both changed the same lines."""
        for hunk in self.undone:
            both = touching(hunk, self.later)
            if all(_compatible(hunk, one) for one in both) or self._is_back(hunk):
                continue
            first, last = both[0], both[-1]
            start, end = min(hunk.start, first.start), max(hunk.end, last.end)
            at, to = first.at - (first.start - start), last.to + (end - last.end)
            found, left = self.now.lines[at:to], self.base.lines[start:end]
            yield Conflict(at + 1, tuple(found), tuple(left), self._restored(hunk))

    def lost(self) -> list[Conflict]:
        """What cannot be given back to a file that is gone."""
        back = [hunk for hunk in self.undone if not hunk.only_removes]
        return [Conflict(1, (), tuple(self.base.lines[hunk.start : hunk.end]), self._restored(hunk)) for hunk in back]

    def moved(self) -> Iterator[Conflict]:
        """Lines that only the change had, and that stand elsewhere now."""
        kept = _places(self.later, len(self.base.lines))
        counts = Counter(self.base.lines)
        gone = {
            self.base.lines[number]
            for hunk in self.undone
            for number in range(hunk.start, hunk.end)
            if kept[number] < 0 and counts[self.base.lines[number]] == 1
        }
        gone -= set(self.old.lines)
        for hunk in self.later if gone else ():
            for place in range(hunk.at, hunk.to):
                line = self.now.lines[place]
                if line in gone and _tells(line):
                    yield Conflict(place + 1, (line,), (line,), (), moved=True)

    def stands(self) -> bool:
        """Whether anything of the change is in the last version."""
        kept = _places(self.later, len(self.base.lines))
        return not self.undone or any(
            any(kept[number] >= 0 for number in range(hunk.start, hunk.end))
            if hunk.only_removes
            else not self._is_back(hunk)
            for hunk in self.undone
        )

    def text(self) -> bytes:
        """The last version without the change."""
        pieces = list(self._pieces())
        if not pieces:
            return b""
        of_old, of_now, line = pieces.pop()
        ended = self.now.ended or of_now != len(self.now.lines) - 1
        if of_old == len(self.old.lines) - 1:  # its end is the old one, unless that was changed since
            ended = self.old.ended if self.now.ended == self.base.ended else self.now.ended
        return b"".join([*(piece for _, _, piece in pieces), line if ended else line.removesuffix(self.end)])

    def _pieces(self) -> Iterator[tuple[int, int, bytes]]:
        """The lines of the result, each with its place in the old text and in the last one, -1 where it is not from there."""
        undone = {hunk.start: hunk for hunk in self.undone if not self._is_back(hunk)}
        later = {hunk.start: hunk for hunk in self.later}
        gone = {number for hunk in undone.values() for number in range(hunk.start, hunk.end)}
        of_old, of_now = (_places(one, len(self.base.lines)) for one in (self.undone, self.later))
        for number in range(len(self.base.lines) + 1):
            away, came = undone.get(number), later.get(number)
            back = [(n, -1, self.old.lines[n]) for n in range(away.at, away.to)] if away else []
            new = [(-1, n, self.now.lines[n]) for n in range(came.at, came.to)] if came else []
            yield from [*back, *new] if away and away.only_adds else [*new, *back]
            if number < len(self.base.lines) and number not in gone and of_now[number] >= 0:
                yield of_old[number], of_now[number], self.base.lines[number]

    def _is_back(self, hunk: Hunk) -> bool:
        """Whether what the change took away stands in its place again, and what it put there does not."""
        restored = self._restored(hunk)
        size = len(restored)
        for one in near(hunk, self.later) if restored else ():
            there = self.now.lines[one.at : one.to]
            if (
                one.start <= hunk.start
                and hunk.end <= one.end
                and restored in (tuple(there[:size]), tuple(there[-size:]))
            ):
                return True
        return False

    def _restored(self, hunk: Hunk) -> tuple[bytes, ...]:
        return tuple(self.old.lines[hunk.at : hunk.to])


def _compatible(hunk: Hunk, later: Hunk) -> bool:
    """Whether both can be had, although they touch: lines are to go, and went, or got others between them; or they are to come
    back between lines that went."""
    return (hunk.only_removes and (later.only_removes or later.only_adds)) or (hunk.only_adds and later.only_removes)


def _places(found: Sequence[Hunk], size: int) -> list[int]:
    """Where each of the `size` lines of the first text is in the other, -1 for nowhere."""
    places: list[int] = []
    shift = start = 0
    for hunk in [*found, Hunk(size, size, size, size)]:
        places += range(start + shift, hunk.start + shift)
        places += [-1] * (hunk.end - hunk.start)
        start, shift = hunk.end, hunk.to - hunk.end
    return places


def _tells(line: bytes) -> bool:
    """Whether a line is more than a heading, a rule or a blank."""
    return not line.startswith(b"#") and any(character.isalnum() for character in line.decode("utf-8", "replace"))


def _style(text: bytes) -> bytes:
    """How all lines of a text end, b"" where they differ or none ends."""
    every, pairs = text.count(b"\n"), text.count(b"\r\n")
    return b"\r\n" if every and every == pairs else b"\n" if every and not pairs else b""


def _in_style(text: bytes, style: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", style)


def _end(text: bytes) -> bytes:
    """How the last line that ends in a newline ends."""
    place = text.rfind(b"\n")
    return b"" if place < 0 else b"\r\n" if text[:place].endswith(b"\r") else b"\n"
