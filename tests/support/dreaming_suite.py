"""What every format's way of writing a Dream must satisfy; each format's tests subclass DreamingSuite.

A subclass gives `agent`, the `targets` to write to, and what its layout tells of an item again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.errors import CannotWrite
from memcli.formats import dreaming, longterm
from memcli.formats.facets import Target
from memcli.memory import blocks
from memcli.memory.phrasing import one_line
from memcli.model import Item

inherited = settings(suppress_health_check=[HealthCheck.differing_executors])
LAYERS, CATEGORIES = ("user", "project"), ("decision", "fact", "preference", "pattern")
DAY = 1_780_000_000.0


def item(text: str, layer: str = "project", category: str = "fact") -> Item:
    """An item that says this."""
    return Item(text, layer, category, (), 0.9)


PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\r", b"\n\n", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xe6\x9c", b"  ", b"\t"),
        *(b"```\n", b"~~~\n", b"```", b"---\n", b"* * *\n", b"===\n", b"<!--\n", b"-->\n", b"text\n", b"> quoted\n"),
        *(b"# Long-term Memory\n", b"# User\n", b"## Preferences\n", b"## Project Context\r\n", b"### Falcon\n"),
        *(b"## Important Notes\n", b"## Decisions", b"**Patterns**:\n", b"**Food**\n", b"## User Information\n"),
        *(b"- a fact\n", b"* another\n", b"  - nested\n", b"1. first\n", b"  indented\n", b"- [ ] box\n", b"-\n"),
        *("## 用户信息\n".encode(), "## 项目背景\n".encode(), "- 用户 偏好\n".encode(), "\u2028\u3000\n".encode()),
        *(b"## Dream \xe2\x80\x94 2026-05-28\n", b"## Dream \xe2\x80\x94 Project \xe2\x80\x94 2026-05-28\n"),
        *(b"## User Profile\n", b"(nothing)\n", b"### 2026-05-28 Dream Consolidation\n", b"- **Pattern**: x\n"),
        *(b"## Dream Consolidation (2026-05-28)\n", b"- **Key Decision**: y"),
    ]
)
FILES = st.lists(PIECES | st.binary(max_size=4), max_size=24).map(b"".join).filter(lambda old: not is_utf16(old))
MARKS = st.sampled_from(
    [*"#-*+>`~=_.)1:[]|\\\n\r\t <!", "**", "```", "<!--", "1. ", "\u2028", "\ud83d", "端口", "port"]
)
TEXTS = st.lists(MARKS | st.text(max_size=3), min_size=1, max_size=8).map("".join)
ITEMS = st.lists(st.builds(item, TEXTS, st.sampled_from(LAYERS), st.sampled_from(CATEGORIES)), max_size=6)


def is_utf16(old: bytes) -> bool:
    return old.startswith((b"\xff\xfe", b"\xfe\xff"))


class DreamingSuite(ABC):
    """Tests that every format inherits."""

    agent: ClassVar[str]
    targets: ClassVar[Sequence[Target]]

    @abstractmethod
    def told(self, one: Item) -> tuple[set[str], set[str]]:
        """The categories and sections that the layout may tell of an item again."""

    def put(self, target: Target, old: bytes | None, items: Sequence[Item], seconds: float = DAY) -> bytes:
        return dreaming(self.agent).put(target, old, items, seconds)

    @given(old=FILES, items=ITEMS, place=st.integers(0, 9))
    @inherited
    def test_nothing_old_is_changed(self, old: bytes, items: list[Item], place: int) -> None:
        target = self.targets[place % len(self.targets)]
        new = self.put(target, old, items)
        left = iter(new)
        assert all(byte in left for byte in old)
        lines = iter(self.lines(new))
        assert all(line in lines for line in self.lines(old))

    @given(old=FILES, items=ITEMS, place=st.integers(0, 9))
    @inherited
    def test_the_lines_are_those_that_are_added(self, old: bytes, items: list[Item], place: int) -> None:
        target = self.targets[place % len(self.targets)]
        new = self.put(target, old, items)
        added = Counter(self.lines(new)) - Counter(self.lines(old))
        told = Counter(line.encode() for line in dreaming(self.agent).lines(target, items))
        assert told <= added
        begun = Counter(self.lines(self.put(target, None, items))) if not old else Counter()
        rest = added - told - begun
        around = (b"#", b"(nothing)", b"```", b"~~~")
        assert all(not line or line.startswith(around) for line in rest)

    @given(old=FILES, items=ITEMS, place=st.integers(0, 9))
    @inherited
    def test_each_item_is_found_again(self, old: bytes, items: list[Item], place: int) -> None:
        target = self.targets[place % len(self.targets)]
        shape = longterm(self.agent).shape(target.path)
        new = self.put(target, old, items)
        found = [one for block in blocks.blocks(new, shape) for one in blocks.items(block, shape)]
        lines = self.lines(new)
        for one in items:
            text = one_line(one.text)
            if one.layer not in target.layers or not text:
                continue
            categories, sections = self.told(one)
            same = [fact for fact in found if fact.text == text and fact.lines == 1]
            assert any(fact.category in categories and fact.section in sections for fact in same)
            assert any(lines[fact.line - 1].endswith(text.encode()) for fact in same)

    @given(old=FILES, place=st.integers(0, 9))
    @inherited
    def test_nothing_to_add_adds_nothing(self, old: bytes, place: int) -> None:
        target = self.targets[place % len(self.targets)]
        assert self.put(target, old, []) == old
        assert self.put(target, None, []) == b""

    @given(old=FILES, items=ITEMS, place=st.integers(0, 9))
    @inherited
    def test_once_more_on_the_same_day(self, old: bytes, items: list[Item], place: int) -> None:
        target = self.targets[place % len(self.targets)]
        once = self.put(target, old, items)
        twice = self.put(target, once, items)
        left = iter(twice)
        assert all(byte in left for byte in once)
        assert len(twice) - len(once) <= len(once) - len(old) + 80

    @given(items=ITEMS, place=st.integers(0, 9))
    @inherited
    def test_a_file_with_cr_lf_keeps_to_it(self, items: list[Item], place: int) -> None:
        target = self.targets[place % len(self.targets)]
        old = b"# Memory\r\n\r\n## Notes\r\n- x\r\n## Project Context\r\ntext\r\n"
        new = self.put(target, old, items)
        assert new.count(b"\n") == new.count(b"\r\n")

    @pytest.mark.parametrize("mark", [b"\xff\xfe#\0", b"\xfe\xff\0#"])
    def test_no_line_gets_into_utf_16(self, mark: bytes) -> None:
        for target in self.targets:
            old = mark + b"\0x"
            items = [item("port 8080", layer) for layer in target.layers]
            with pytest.raises(CannotWrite, match=r"is in UTF-16.*left as it is"):
                self.put(target, old, items)
            assert self.put(target, old, []) == old

    @pytest.mark.parametrize("kind", ["dream", "dream-user", "consolidate", "compact", "lint"])
    def test_a_subject_is_one_line_that_counts(self, kind: str) -> None:
        facet = dreaming(self.agent)
        one, many = (facet.subject(kind, DAY, count) for count in (1, 12))
        assert one.endswith("1 item")
        assert many.endswith("12 items")
        assert "\n" not in one
        assert facet.subject("dream", DAY, 1) != facet.subject("consolidate", DAY, 1)

    @staticmethod
    def lines(text: bytes) -> list[bytes]:
        return [line.removesuffix(b"\r") for line in text.split(b"\n")]
