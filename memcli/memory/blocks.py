"""A memory file as blocks. Whatever bytes it holds, the blocks put together are the file again, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memcli.storage.memory_shape import Label, Shape

OWN = "own"
"""The kind of a block that no Dream appended: what the user wrote, and what an agent keeps under the user's headings."""


class Block(NamedTuple):
    """A piece of a memory file: blank lines before it (`lead`), its heading line (`head`, b"" where it has none), and what
    follows. `kind` is "own", or that of the head (Head.kind). `title` are the words of the heading. `date` is the day that
    the heading tells, "" for none, `section` "user" or "project" where it tells that. `line` is where `head` stands, or where
    the block begins that has none, from 1."""

    kind: str
    lead: bytes
    head: bytes
    body: bytes
    line: int
    title: str = ""
    date: str = ""
    section: str = ""

    @property
    def raw(self) -> bytes:
        """All bytes of it."""
        return self.lead + self.head + self.body


def blocks(text: bytes, shape: Shape) -> list[Block]:
    """The blocks of a file: `join(blocks(text, shape)) == text` for any bytes and any shape.

    Lines end at 0x0A only. Headings of the user count outside of fenced code only; those of `shape.heads` count anywhere,
    so that a fence that a model left open swallows nothing.
    """
    cut = _Cut(shape)
    for line in lines_of(text):
        cut.line(line)
    return cut.end()


def join(pieces: Iterable[Block]) -> bytes:
    """The file that the blocks are."""
    return b"".join(block.raw for block in pieces)


class Item(NamedTuple):
    """One fact: `text` without list mark and label, lines that belong to it joined by a newline; `line` is its first line in
    the file, from 1, `lines` how many it has. `category` and `section` as the labels around it tell, "" for unknown."""

    text: str
    line: int
    lines: int
    category: str = ""
    section: str = ""


def items(block: Block, shape: Shape) -> list[Item]:
    """The facts of a block: its list items, each with what is indented below it; with `shape.plain` any other line too. Code
    between two fences holds none."""
    found: list[Item] = []
    code, _ = fenced(block.body)
    category, section = _sorted_by(block.title, shape.labels) if block.kind == OWN else ("", "")
    section = block.section or section
    open_item = False
    number = block.line + bool(block.head)
    for place, raw in enumerate(lines_of(block.body)):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        label = _label_alone(line)
        if code[place] and not shape.plain:
            open_item = open_item and line[:1] in " \t"
        elif label is not None:
            told, whose = _sorted_by(label, shape.labels)
            category, section = told, whose or section
            open_item = False
        elif bullet := _BULLET.match(line):
            text, own, whose = _labelled(bullet[1].strip(), shape.labels)
            found.append(Item(text, number, 1, own or category, whose or section))
            open_item = True
        elif not line.strip():
            open_item = False
        elif open_item and line[:1] in " \t":
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line.strip()}", lines=number - found[-1].line + 1)
        elif shape.plain:
            found.append(Item(line.strip(), number, 1, category, section))
            open_item = False
        number += 1
    return found


class Part(NamedTuple):
    """What stands in a block below its heading, or below a line of nothing but bold words, up to the next: `body` begins at
    `offset` of the block's; `category` and `section` are those of the facts in it."""

    offset: int
    body: bytes
    category: str
    section: str


def parts(block: Block, shape: Shape) -> list[Part]:
    """The parts of a block; code that no fence ends, and what stands in it, is in none of them."""
    category, section = _sorted_by(block.title, shape.labels) if block.kind == OWN else ("", "")
    section = block.section or section
    code, left_open = fenced(block.body)
    found: list[Part] = []
    begin = offset = 0
    for place, raw in enumerate(lines_of(block.body)):
        if left_open and place >= left_open[0]:
            break
        label = None if code[place] else _label_alone(raw.decode("utf-8", "replace").rstrip("\r\n"))
        if label is not None:
            found.append(Part(begin, block.body[begin:offset], category, section))
            category, whose = _sorted_by(label, shape.labels)
            section = whose or section
            begin = offset + len(raw)
        offset += len(raw)
    return [*found, Part(begin, block.body[begin:offset], category, section)]


def fenced(body: bytes) -> tuple[list[int], tuple[int, str] | None]:
    """For each line of a body which piece of code, from 1, between two fences it belongs to, these included, 0 for none; and the
    line (from 0) of a fence that none ends, with what would end it."""
    code: list[int] = []
    fence = ""
    begin = pieces = 0
    for place, raw in enumerate(lines_of(body)):
        before = fence
        fence = _after(fence, raw.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff"))
        code.append(0)
        if fence and not before:
            begin = place
        elif before and not fence:
            pieces += 1
            code[begin:] = [pieces] * (place + 1 - begin)
    return code, (begin, fence) if fence else None


def lines_of(text: bytes) -> Iterator[bytes]:
    """The lines with their ends, ended by 0x0A only."""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


class _Cut:
    """Cuts a file, line by line."""

    def __init__(self, shape: Shape) -> None:
        self.heads = [(head, re.compile(head.pattern)) for head in shape.heads]
        self.labels, self.closes = shape.labels, shape.closes
        self.done: list[Block] = []
        self.now = Block(OWN, b"", b"", b"", 1)
        self.blank: list[bytes] = []
        self.body: list[bytes] = []
        self.number = 0
        self.fence = ""

    def line(self, raw: bytes) -> None:
        self.number += 1
        text = raw.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
        if not text.strip():
            self.blank.append(raw)
            return
        begun = None if self._doubled(text) else self._head(text) or self._own(text)
        if begun is None:
            self.body += [*self.blank, raw]
            self.blank = []
        else:
            self._close()
            self.now = begun._replace(lead=b"".join(self.blank), head=raw, line=self.number)
            self.blank = []
        self.fence = _after("" if begun is not None else self.fence, text)

    def end(self) -> list[Block]:
        self.body += self.blank
        self._close()
        return self.done

    def _close(self) -> None:
        block = self.now._replace(body=b"".join(self.body))
        if block.raw:
            self.done.append(block)
        self.body = []

    def _head(self, text: str) -> Block | None:
        for head, pattern in self.heads:
            found = pattern.fullmatch(text)
            if found:
                groups = found.groupdict()
                section = "user" if groups.get("user") else "project" if groups.get("project") else ""
                return Block(head.kind, b"", b"", b"", 0, text.lstrip("# "), groups.get("date") or "", section)
        return None

    def _doubled(self, text: str) -> bool:
        """Whether this is the heading that a model added below the one that the agent had written."""
        if not self.closes or self.now.kind == OWN or self.body:
            return False
        return any(pattern.fullmatch(text) for _, pattern in self.heads)

    def _own(self, text: str) -> Block | None:
        heading = None if self.fence else _HEADING.match(text)
        if heading is None:
            return None
        title = heading[2].strip().rstrip("#").strip()
        if self.now.kind != OWN:
            level = len(heading[1])
            if not self.closes or level > self.closes or _sorted_by(title, self.labels) != ("", ""):
                return None
        return Block(OWN, b"", b"", b"", 0, title)


def _after(fence: str, text: str) -> str:
    """The fence that is open behind a line, given the one before it; "" for none."""
    found = _FENCE.match(text)
    if found is None:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) and not text.strip().strip(fence[0]) else fence


def _label_alone(line: str) -> str | None:
    """The words of a heading, or of a line that is nothing but bold words."""
    heading = _HEADING.match(line)
    if heading:
        return heading[2].strip().rstrip("#").strip()
    bold = _BOLD_LINE.match(line)
    return bold[1] if bold else None


def _labelled(text: str, labels: tuple[Label, ...]) -> tuple[str, str, str]:
    """A fact without the label before it, and what the label tells."""
    found = _LABEL.match(text)
    if found:
        category, section = _sorted_by(found[1], labels)
        if category or section:
            return text[found.end() :].strip(), category, section
    return text, "", ""


def _sorted_by(words: str, labels: tuple[Label, ...]) -> tuple[str, str]:
    plain = words.strip(" *_:：")
    for label in labels:
        if re.fullmatch(label.pattern, plain, re.IGNORECASE):
            return label.category, label.section
    return "", ""


_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)")
_BOLD_LINE = re.compile(r"\s*\*\*([^*]+)\*\*\s*[:：]?\s*$")
_LABEL = re.compile(r"\*\*([^*]{1,60})\*\*\s*[:：]?\s*")
