"""The lines of a memory file as facts: under which subject each stands, and in a form in which two spellings are one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.damage.framework import TextSnapshot

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)[\s#]*$")
_MARK = re.compile(r"\s*(?:>\s?)*\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+|\d{1,3}、\s*|[一二三四五六七八九十]{1,3}、\s*)?")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_SILENT = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BOLD = re.compile(r"\s*\*\*[^*]+\*\*\s*[:：]?\s*$")
_BY_CJK = re.compile(r"(?<=[\u3000-\u30ff\u3400-\u9fff]) | (?=[\u3000-\u30ff\u3400-\u9fff])")
_ENDS = " .。;；,，、!！…~"
_DEPTH_BOLD, _DEPTH_COLON = 7, 8
"""A line in bold, and one that ends in a colon, go before other lines as headings do."""


class Remembered(NamedTuple):
    """One line that says something: `number` of the line, where its bytes are, `text` as it stands without list mark and
    emphasis, `plain` the form to compare. `subject` are the headings and list items above it that name one, `block` is the
    number of the line at which the agent's block begins that it stands in, 0 for none. `leads` tells a heading, or a line that
    goes before others as one does."""

    number: int
    offset: int
    length: int
    text: str
    plain: str
    subject: tuple[str, ...]
    block: int
    leads: bool = False


class Block(NamedTuple):
    """The heading of a block that the agent appended."""

    number: int
    offset: int
    length: int
    plain: str


def read(snapshot: TextSnapshot) -> tuple[list[Remembered], list[Block]]:
    """The lines of a file that say something, and the agent's blocks. Left out are rules, tables, code and lines without a
    letter. Nothing for UTF-16."""
    if snapshot.raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return [], []
    rules = snapshot.rules
    is_block = _searcher(rules.block if rules else "")
    categories = {plain(one) for one in rules.categories} if rules else set()
    found: list[Remembered] = []
    blocks: list[Block] = []
    headings: list[tuple[int, str]] = []
    above: list[tuple[int, str]] = []
    fence = ""
    titled = False
    for number, offset, raw, line in _lines(snapshot.raw):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        text = worded(line)
        heading = _HEADING.match(line)
        if heading:
            text = worded(heading[2])
            if is_block(text):
                blocks.append(Block(number, offset, len(raw), plain(text)))
            depth = len(heading[1])
        elif _BOLD.match(line):
            depth = _DEPTH_BOLD
        elif line.rstrip().endswith((":", "：")) and not _LISTED.match(line):
            depth = _DEPTH_COLON
        else:
            depth = 0
        said = plain(text)
        if depth:
            headings = [one for one in headings if one[0] < depth]
            title = depth == 1 and not titled
            titled = titled or title
            names = not title and said.rstrip(":") not in categories and not (heading and is_block(text))
            headings.append((depth, said if names else ""))
            above = []
            found.append(Remembered(number, offset, len(raw), text, said, (), 0, True))
            continue
        if _SILENT.match(line) or not any(map(str.isalpha, said)):
            continue
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        above = [one for one in above if one[0] < indent]
        subject = (*(name for _, name in headings if name), *(name for _, name in above))
        block = blocks[-1].number if blocks else 0
        found.append(Remembered(number, offset, len(raw), text, said, subject, block))
        above.append((indent, said))
    return found, blocks


def worded(line: str) -> str:
    """A line without list mark and emphasis."""
    return _MARK.sub("", line, count=1).replace("**", "").replace("`", "").strip().strip("*").strip()


def plain(text: str) -> str:
    """A line in the form in which case, width of characters, blanks around Chinese ones and punctuation at its end make no
    difference."""
    text = " ".join(unicodedata.normalize("NFKC", worded(text)).casefold().split())
    return _BY_CJK.sub("", text).rstrip(_ENDS)


def listed(lines: Sequence[int]) -> str:
    """Numbers for a sentence: `3, 9 and 12`."""
    shown = [f"{number:,}" for number in lines[:10]]
    if len(lines) > 10:
        return ", ".join(shown) + f" and {len(lines) - 10:,} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _lines(raw: bytes) -> Iterator[tuple[int, int, bytes, str]]:
    """(number, offset, bytes without their end, text) of each line."""
    offset = 0
    for number, line in enumerate(raw.split(b"\n"), 1):
        kept = line.removesuffix(b"\r")
        text = kept.decode("utf-8", "replace")
        yield number, offset, kept, text.removeprefix("\ufeff") if number == 1 else text
        offset += len(line) + 1


def _searcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text; nothing is where there is no pattern."""
    if not pattern:
        return lambda text: False
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.search(text) is not None
