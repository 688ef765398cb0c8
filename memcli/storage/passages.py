"""What differs between two versions of a text, in passages with the lines around them."""

from __future__ import annotations

from typing import NamedTuple

AROUND = 3
"""So many lines before and after what differs belong to a passage."""
UNENDED = b" No newline at end of file"


class Passage(NamedTuple):
    """A place at which two versions differ. `old` and `new` are the lines at which it begins in each, from 1 (0 in a version that
    has none of it). `lines` are (mark, bytes without the newline): "-" gone, "+" come, " " in both; "\\" is no line but says of
    the one before it that no newline ends it."""

    path: str
    old: int
    new: int
    lines: tuple[tuple[str, bytes], ...]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many lines of it each version has."""
        marks = [mark for mark, _ in self.lines]
        same = marks.count(" ")
        return same + marks.count("-"), same + marks.count("+")


def between(path: str, old: bytes, new: bytes) -> list[Passage]:
    """The passages in which two versions differ. Lines end at 0x0A only."""
    from difflib import SequenceMatcher

    before, after = lines_of(old), lines_of(new)
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    if start == len(before) == len(after):
        return []
    # what is the same at both ends is no work for the matcher; the lines around a passage are given to it
    first = max(0, start - AROUND)
    last = max(0, end - AROUND)
    a, b = before[first : len(before) - last], after[first : len(after) - last]
    found = []
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(AROUND):
        lines: list[tuple[str, bytes]] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += _marked(" ", a[i1:i2])
            else:
                lines += _marked("-", a[i1:i2]) + _marked("+", b[j1:j2])
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        found.append(Passage(path, first + i1 + (i2 > i1), first + j1 + (j2 > j1), tuple(lines)))
    return found


def origins(old: bytes, new: bytes) -> list[int]:
    """For each line of `new` the line of `old` that it is, from 1; 0 for one that is new."""
    before, after = lines_of(old), lines_of(new)
    found = [0] * len(after)
    number = 1
    line = 0
    for passage in between("", old, new):
        while line < passage.new - (1 if passage.sizes[1] else 0):
            found[line] = number
            line, number = line + 1, number + 1
        for mark, _ in passage.lines:
            if mark == " ":
                found[line] = number
            line += mark in " +"
            number += mark in " -"
    while line < len(after) and number <= len(before):
        found[line] = number
        line, number = line + 1, number + 1
    return found


def lines_of(text: bytes) -> list[bytes]:
    """The lines of a text with their ends."""
    pieces = text.split(b"\n")
    return [*(piece + b"\n" for piece in pieces[:-1]), *([pieces[-1]] if pieces[-1] else [])]


def _alike(a: list[bytes], b: list[bytes]) -> int:
    """How many lines are the same from the beginning on."""
    number = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        number += 1
    return number


def _marked(mark: str, lines: list[bytes]) -> list[tuple[str, bytes]]:
    found = [(mark, line.removesuffix(b"\n")) for line in lines]
    if lines and not lines[-1].endswith(b"\n"):
        found.append(("\\", UNENDED))
    return found
