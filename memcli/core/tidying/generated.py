"""Which part of a memory file the agent itself appended, block by block: what somebody wrote behind one is not of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memcli.damage.remembered import plain
from memcli.memory.blocks import OWN, Block, blocks
from memcli.storage.memory_shape import Shape
from memcli.storage.passages import lines_of

_HEADING = re.compile(r" {0,3}#{1,2}(?=[ \t]|$)(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Part(NamedTuple):
    """What the agent appended in one piece: its block, the byte at which that begins, and how many bytes of the block's body are
    the agent's. `line` is that of the heading."""

    block: Block
    offset: int
    length: int

    @property
    def body(self) -> bytes:
        """The agent's part of the body."""
        return self.block.body[: self.length]

    @property
    def raw(self) -> bytes:
        """The agent's part of the block, the blank lines before it among it."""
        return self.block.lead + self.block.head + self.body

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.block.line, self.block.line + 1 + len(lines_of(self.body)))


def generated(raw: bytes, shape: Shape) -> list[Part]:
    """The parts of the file that the agent appended.

    A block goes on until the next one begins, whoever wrote what comes in between. A heading of the two upper levels that sorts
    nothing, and that no other block has, is taken for the user's; what stands behind it is not of the part.
    """
    found: list[tuple[Block, int]] = []
    offset = 0
    for block in blocks(raw, shape):
        if block.kind != OWN:
            found.append((block, offset))
        offset += len(block.raw)
    titles = Counter(title for block, _ in found for title in {title for _, title in _headings(block.body)})
    return [Part(block, at, _own_length(block, titles, shape)) for block, at in found]


def _own_length(block: Block, titles: Counter[str], shape: Shape) -> int:
    for offset, title in _headings(block.body):
        if titles[title] == 1 and not any(re.fullmatch(one.pattern, title, re.IGNORECASE) for one in shape.labels):
            return _without_blank(block.body[:offset])
    return len(block.body)


def _without_blank(body: bytes) -> int:
    """How long the body is without the blank lines at its end, which belong to what follows."""
    length = len(body)
    for line in reversed(lines_of(body)):
        if line.strip():
            break
        length -= len(line)
    return length


def _headings(body: bytes) -> Iterator[tuple[int, str]]:
    """The byte at which each heading of the two upper levels stands, and its words."""
    offset = 0
    fence = ""
    for raw in lines_of(body):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (found := _HEADING.match(line)):
            yield offset, plain(found[1].strip().rstrip("#"))
        offset += len(raw)
