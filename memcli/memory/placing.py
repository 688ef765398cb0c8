"""Lines put into a memory file at their place: old bytes stay as they are and in their order, lines end as the file's do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from memcli.errors import CannotWrite
from memcli.memory.blocks import Part, blocks, fenced, lines_of, parts
from memcli.storage.memory_shape import Shape


def check(path: str, old: bytes) -> None:
    """Raise CannotWrite for a file in UTF-16, in which a line of UTF-8 would be rubbish. Other bytes that are no UTF-8 stay as
    they are."""
    if old.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CannotWrite(
            f"{os.path.basename(path)} is in UTF-16, and no line can be added to that. It was left as it is; save it as UTF-8, "
            "and run this again.",
            path=path,
            in_place=False,
        )


def at_end(old: bytes, lines: Sequence[str], *, gap: int = 0) -> bytes:
    """The file with the lines behind all that is there, `gap` blank lines between, those that it ends in counted."""
    if not lines:
        return old
    there, rest = 0, old
    while there <= gap and rest.endswith(b"\n"):
        there, rest = there + 1, rest[:-1].removesuffix(b"\r")
    missing = gap + 1 - there if old.strip(b"\r\n") else int(bool(old) and not there)
    end = ending(old)
    return old + breaks(old, missing, end) + text_of(lines, end)


def text_of(lines: Sequence[str], end: bytes) -> bytes:
    """The lines, each with its end."""
    return b"".join(line.encode() + end for line in lines)


def breaks(old: bytes, count: int, end: bytes) -> bytes:
    """So many ends of lines to put behind `old`; half of one that stands there already is made whole."""
    return (end * count)[end == b"\r\n" and old.endswith(b"\r") :]


def ending(old: bytes) -> bytes:
    """How most lines of the file end."""
    return b"\r\n" if old.count(b"\r\n") * 2 > old.count(b"\n") else b"\n"


def below(old: bytes, shape: Shape, category: str, section: str, lines: Sequence[str]) -> bytes | None:
    """The file with the lines at the end of the list below the heading, or the line of bold words, that fits facts of this
    category and section best; None where none fits. What stands there and is no list stays above the lines, code that no fence
    ends behind them."""
    best: tuple[int, int, Part] | None = None
    for offset, part in _places(old, shape):
        fit = _fit(part, category, section)
        if fit and (best is None or fit > best[0]):
            best = fit, offset, part
    if best is None:
        return None
    end = ending(old)
    inside, apart = _spot(best[2].body)
    place = best[1] + inside
    unended = place > 0 and not old[:place].endswith(b"\n")
    before = breaks(old[:place], unended + apart, end)
    following = old[place:].split(b"\n", 1)[0].strip()
    after = end if following and not _HEADING.match(following) else b""
    return old[:place] + before + text_of(lines, end) + after + old[place:]


def with_heading(old: bytes, shape: Shape, title: str, lines: Sequence[str]) -> bytes:
    """The file with the lines below a new heading at its end; code that is still open there is ended first."""
    found = blocks(old, shape)
    _, left_open = fenced(found[-1].body) if found else ([], None)
    text = at_end(old, [left_open[1]]) if left_open else old
    return at_end(text, [f"## {title}", "", *lines], gap=1)


def is_chinese(old: bytes, shape: Shape) -> bool:
    """Whether most headings of the file are in Chinese."""
    titles = [block.title for block in blocks(old, shape) if block.head]
    return sum(bool(_CHINESE.search(title)) for title in titles) * 2 > len(titles)


def _places(old: bytes, shape: Shape) -> Iterator[tuple[int, Part]]:
    """What facts can be put below, and where each begins; the title of a file that has other headings is none of them."""
    found = blocks(old, shape)
    headed = [block for block in found if block.head]
    offset = 0
    for block in found:
        start = offset + len(block.lead) + len(block.head)
        offset += len(block.raw)
        if block.head and (block is not headed[0] or len(headed) == 1 or not _TITLE.match(block.head)):
            yield from ((start + part.offset, part) for part in parts(block, shape))


def _fit(part: Part, category: str, section: str) -> int:
    """How well facts fit below a heading, 0 for not at all. One that says whose facts stand below it is better than one for
    facts, which is often for all that is left over."""
    if part.category not in ("", category) or part.section not in ("", section):
        return 0
    sorted_ = (1 if category == "fact" else 3) if part.category else 0
    return sorted_ + (2 if part.section else 0)


def _spot(body: bytes) -> tuple[int, bool]:
    """Where lines go in a body, and whether a blank line goes before them: behind the last list; where there is none, behind the
    text before the first rule."""
    code, _ = fenced(body)
    listed = text = rule = None
    in_item, blank = False, True
    offset = first = 0
    for place, raw in enumerate(lines_of(body)):
        offset += len(raw)
        indented = raw[:1] in (b" ", b"\t")
        if code[place]:
            in_item = in_item and (indented or code[place] == code[place - 1])
        elif not raw.strip():
            blank = True
            first = first or offset
            continue
        elif _RULE.match(raw):
            in_item = False
            rule = offset if rule is None and blank else rule
        elif _BULLET.match(raw):
            in_item = True
        else:
            in_item = in_item and (indented or not blank)
        blank = False
        if in_item:
            listed = offset
        if rule is None:
            text = offset
    if listed is not None:
        return listed, False
    return (text, True) if text is not None else (first, not first)


_HEADING = re.compile(rb"#{1,6}(?:[ \t]|$)")
_TITLE = re.compile(rb"(?:\xef\xbb\xbf)? {0,3}#(?!#)")
_RULE = re.compile(rb" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}\r?\n?$")
_BULLET = re.compile(rb"\s*(?:[-*+]|\d{1,9}[.)])\s")
_CHINESE = re.compile("[\u3400-\u9fff]")
