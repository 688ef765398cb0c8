"""Edits made in rounds, told as edits of the first content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.composing import Rope
from memcli.model import Edit
from memcli.storage.edits import Overlap, spliced


def edits_of(size: int, draw: st.DataObject) -> list[Edit]:
    """Edits that do not overlap, in order."""
    places = sorted(draw.draw(st.lists(st.integers(0, size), max_size=6)))
    found = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        new = draw.draw(st.binary(max_size=3))
        if not found or found[-1].offset + found[-1].length < start:
            found.append(Edit(start, end - start, new, draw.draw(st.sampled_from("ABC"))))
    return found


@given(st.binary(max_size=30), st.data())
def test_rounds_of_edits_are_one_set_of_edits(first, draw):
    rope = Rope(len(first))
    now = first
    for _ in range(draw.draw(st.integers(1, 4))):
        made = edits_of(len(now), draw)
        rope.apply(made)
        now = spliced(now, made)
    assert spliced(first, rope.edits()) == now
    assert rope.size == len(now)


@given(st.binary(min_size=1, max_size=30), st.data())
def test_what_is_gone_is_told_once_with_its_class(first, draw):
    rope = Rope(len(first))
    now = first
    for _ in range(3):
        made = edits_of(len(now), draw)
        rope.apply(made)
        now = spliced(now, made)
    gone = [place for span in rope.gone() for place in range(span.offset, span.offset + span.length)]
    assert len(gone) == len(set(gone))
    kept = bytes(byte for place, byte in enumerate(first) if place not in gone)
    edits = rope.edits()
    assert kept == spliced(first, [edit._replace(replacement=b"") for edit in edits])
    assert all(span.code in "ABC" for span in rope.gone())


@pytest.mark.parametrize(
    ("edits", "offset", "origin"),
    [
        ([], 3, 3),
        ([Edit(0, 2, b"", "A")], 0, 2),
        ([Edit(0, 0, b"xyz", "A")], 1, 0),
        ([Edit(0, 0, b"xyz", "A")], 4, 1),
        ([Edit(4, 2, b"q", "A")], 4, 4),
        ([Edit(4, 2, b"q", "A")], 5, 6),
        ([Edit(8, 2, b"", "A")], 8, 8),
    ],
)
def test_a_byte_is_traced_back_to_where_it_stood(edits, offset, origin):
    rope = Rope(10)
    rope.apply(edits)
    assert rope.origin(offset) == origin


def test_edits_that_overlap_are_refused():
    with pytest.raises(Overlap):
        Rope(10).apply([Edit(0, 5, b"", "A"), Edit(3, 1, b"x", "B")])


def test_what_one_round_puts_in_and_the_next_takes_out_leaves_no_trace():
    rope = Rope(4)
    rope.apply([Edit(2, 0, b"new", "A")])
    rope.apply([Edit(2, 3, b"", "B")])
    assert rope.edits() == []
    assert rope.gone() == []
