"""Aligned text without Rich: display width (Chinese, Japanese and Korean characters are two columns wide), cutting, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memcli.output.safe_text import cell


class Column(NamedTuple):
    """One column: `header` over it, `right` for numbers, `least` the width it may be squeezed to, `drop` the order in
    which it goes when the terminal is too narrow (0: never). What is too long is cut at its end, or with `front` at its
    beginning: of paths the end tells more."""

    header: str
    right: bool = False
    least: int = 4
    drop: int = 0
    front: bool = False


def width(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    total = 0
    for char in text:
        if char in "\u200b\u200c\u200d\ufe0e\ufe0f\u2060\u00ad" or combining(char):
            continue
        total += 2 if east_asian_width(char) in "WF" else 1
    return total


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` columns, with an ellipsis when something was cut."""
    if limit <= 0:
        return ""
    if len(text) * 2 <= limit or width(text) <= limit:
        return text
    return beginning(text, limit - 1) + "…"


def cut_front(text: str, limit: int) -> str:
    """`text` in at most `limit` columns, with an ellipsis before its end when something was cut."""
    if limit <= 0:
        return ""
    return text if width(text) <= limit else "…" + ending(text, limit - 1)


def beginning(text: str, limit: int) -> str:
    """The longest beginning of `text` that takes at most `limit` columns."""
    used = 0
    for index, char in enumerate(text):
        used += width(char)
        if used > limit:
            return text[:index]
    return text


def ending(text: str, limit: int) -> str:
    """The longest end of `text` that takes at most `limit` columns."""
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += width(text[index])
        if used > limit:
            return text[index + 1 :]
    return text


def wrapped(text: str, limit: int) -> list[str]:
    """`text` in lines of at most `limit` columns: broken at blanks and beside Chinese, Japanese and Korean characters, in
    the middle of a word only where that is longer than a line. At least one line."""
    import re

    lines: list[str] = []
    line, used = "", 0
    for blanks, piece in re.findall(_UNITS, text):
        size = width(piece)
        if line and used + len(blanks) + size <= limit:
            line, used = line + blanks + piece, used + len(blanks) + size
            continue
        if line:
            lines.append(line)
        while size > limit:
            head = beginning(piece, limit) or piece[0]
            lines.append(head)
            piece = piece[len(head) :]
            size = width(piece)
        line, used = piece, size
    return [*lines, line] if line or not lines else lines


_WIDE = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
_CLOSING = "，。、；：？！）】》」』…"
_UNITS = rf"( *)([{_WIDE}][{_CLOSING}]*|[^ {_WIDE}]+)"


def pad(text: str, size: int, right: bool = False) -> str:
    """`text` filled with spaces to `size` columns."""
    space = " " * (size - width(text))
    return space + text if right else text + space


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], limit: int) -> list[str]:
    """The lines of a table `limit` columns wide, header first; the last column takes what is left over.

    Cells are sanitized here. A terminal too narrow for all columns loses those with the highest `drop` first, then
    the rest are squeezed to their least width, the widest first.
    """
    cells = [[cell(text) for text in row] for row in rows]
    shown = list(range(len(columns)))
    sizes = [max([width(c.header), *(width(row[i]) for row in cells)]) for i, c in enumerate(columns)]
    gap = 2

    def needed(least: bool) -> int:
        return sum(min(sizes[i], columns[i].least) if least else sizes[i] for i in shown) + gap * (len(shown) - 1)

    for index in sorted((i for i in shown if columns[i].drop), key=lambda i: -columns[i].drop):
        if needed(least=True) <= limit:
            break
        shown.remove(index)
    floors = [min(column.least, limit) for column in columns]
    excess = needed(least=False) - limit
    while excess > 0:
        wide = [i for i in shown if sizes[i] > floors[i]]
        if not wide:
            break
        # the last column first: it is the free text
        index = wide[-1] if wide[-1] == shown[-1] else max(wide, key=lambda i: sizes[i])
        step = min(excess, sizes[index] - floors[index])
        sizes[index] -= step
        excess -= step
    lines = []
    for row in ([c.header for c in columns], *cells):
        parts = [
            pad((cut_front if columns[i].front else cut)(row[i], sizes[i]), sizes[i], columns[i].right) for i in shown
        ]
        lines.append(cut((" " * gap).join(parts).rstrip(), limit))
    return lines


def size_words(count: int) -> str:
    """A number of bytes for people: `0`, `917`, `4.3K`, `195K`, `1.0G`."""
    amount = float(count)
    for unit in ("", "K", "M", "G", "T"):
        if amount < 1000 or unit == "T":
            break
        amount /= 1024
    if not unit:
        return str(count)
    return f"{amount:.1f}{unit}" if amount < 10 else f"{amount:.0f}{unit}"
