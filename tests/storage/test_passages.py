"""Passages: what differs, with what stands around it, and which line is which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.storage.passages import UNENDED, Passage, between, lines_of, origins

TEXTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"d\r", "港".encode(), b"\xff"]), max_size=24).map(b"\n".join)


def patched(old: bytes, passages: list[Passage]) -> bytes:
    """The new version, made of the old one and the passages, as patch(1) does it."""
    before = lines_of(old)
    made: list[bytes] = []
    at = 0
    for passage in passages:
        start = passage.old - 1 if passage.sizes[0] else passage.old
        made += before[at:start]
        at = start
        for place, (mark, text) in enumerate(passage.lines):
            ended = passage.lines[place + 1 : place + 2] != (("\\", UNENDED),)
            line = text + b"\n" if ended else text
            if mark in " -":
                assert before[at] == line
                at += 1
            if mark in " +":
                made.append(line)
    return b"".join([*made, *before[at:]])


@given(old=TEXTS, new=TEXTS)
def test_the_new_version_can_be_made_of_the_old_one(old: bytes, new: bytes) -> None:
    found = between("p", old, new)
    assert patched(old, found) == new
    assert bool(found) == (old != new)


@given(old=TEXTS, new=TEXTS)
def test_each_line_is_the_one_that_it_is_told_to_be(old: bytes, new: bytes) -> None:
    before, after = lines_of(old), lines_of(new)
    found = origins(old, new)
    assert len(found) == len(after)
    kept = [number for number in found if number]
    assert kept == sorted(set(kept))
    for line, number in zip(after, found, strict=True):
        assert not number or before[number - 1] == line
    if old == new:
        assert found == list(range(1, len(after) + 1))


def test_passages_far_from_each_other() -> None:
    old = b"".join(b"l%d\n" % number for number in range(30))
    new = old.replace(b"l5\n", b"").replace(b"l20\n", b"L20\nL21\n") + b"end"
    [first, second, third] = between("p", old, new)
    assert (first.old, first.new, first.sizes) == (3, 3, (7, 6))
    assert (second.old, second.new, second.sizes) == (18, 17, (7, 8))
    assert third.lines[-2:] == (("+", b"end"), ("\\", UNENDED))


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (b"", b"a\n", (("+", b"a"),)),
        (b"a", b"", (("-", b"a"), ("\\", UNENDED))),
        (b"a", b"a\n", (("-", b"a"), ("\\", UNENDED), ("+", b"a"))),
    ],
)
def test_small_ones(old: bytes, new: bytes, lines: tuple[tuple[str, bytes], ...]) -> None:
    [passage] = between("p", old, new)
    assert passage.lines == lines
    assert (passage.old, passage.new) == (int(bool(old)), int(bool(new)))


def test_many_lines_are_no_trouble() -> None:
    old = b"".join(b"- fact %d\n\n" % (number % 50) for number in range(40_000))
    [passage] = between("p", old, old.replace(b"- fact 7\n", b"- fact seven\n", 1))
    assert passage.sizes == (7, 7)
