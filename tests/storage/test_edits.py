"""Splicing: once, from left to right, no two edits on the same bytes; and where rows are afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import Edit
from memcli.storage import edits
from memcli.storage.edits import Overlap, Removed, spliced, together


def edit(offset: int, length: int, new: bytes = b"", rows: int = 0, row: int = 0, records: int = 0) -> Edit:
    return Edit(offset, length, new, "code", rows, row, records)


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ([], b"0123456789"),
        ([edit(0, 2)], b"23456789"),
        ([edit(8, 2, b"x")], b"01234567x"),
        ([edit(10, 0, b"\n")], b"0123456789\n"),
        ([edit(3, 0, b"a"), edit(3, 0, b"b")], b"012ab3456789"),
        ([edit(3, 2, b"X"), edit(3, 0, b"a")], b"012aX56789"),
        ([edit(3, 2), edit(5, 1, b"y"), edit(5, 0, b"z")], b"012zy6789"),
        ([edit(0, 10, b"new")], b"new"),
    ],
)
def test_splicing(made, after):
    assert spliced(b"0123456789", made) == after


@pytest.mark.parametrize("made", [[edit(0, 3), edit(2, 3)], [edit(1, 4), edit(2, 0, b"x")], [edit(1, 2), edit(1, 2)]])
def test_edits_that_overlap_are_refused(made):
    with pytest.raises(Overlap, match="overlap"):
        spliced(b"0123456789", made)


def test_removed_bytes_are_told():
    data = b"0123456789"
    read = lambda offset, length: data[offset : offset + length]  # noqa: E731
    assert edits.removed(read, [edit(7, 2, b"x"), edit(0, 0, b"y"), edit(1, 3)]) == [
        Removed(1, b"123", "code"),
        Removed(7, b"78", "code"),
    ]


def test_a_file_is_spliced_piece_by_piece(monkeypatch):
    monkeypatch.setattr(edits, "PIECE", 4)
    data = b"0123456789abcdef"
    made = list(edits.pieces(lambda offset, length: data[offset : offset + length], len(data), [edit(5, 6, b"XY")]))
    assert made == [b"0123", b"4", b"XY", b"bcde", b"f"]
    short = list(edits.pieces(lambda offset, length: b"", 10, []))  # the file shrank meanwhile
    assert short == []


def test_groups_that_clash_wait():
    groups = [
        [edit(10, 5)],
        [edit(12, 0, b"x")],
        [edit(0, 2), edit(11, 1)],
        [edit(15, 0, b"y")],
        [edit(10, 0)],
        [edit(0, 2)],
    ]
    assert together(groups) == ([0, 3, 4, 5], [1, 2])


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=12))
def test_what_together_takes_can_be_spliced(spans):
    groups = [[edit(offset, length, b"x")] for offset, length in spans]
    now, later = together(groups)
    assert sorted([*now, *later]) == list(range(len(groups)))
    taken = [one for index in now for one in groups[index]]
    assert len(spliced(bytes(40), taken)) == 40 + sum(1 - one.length for one in taken)
