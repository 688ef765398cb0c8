"""Edits and the file as it is by now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core import fitting
from memcli.core.proposals import ProposedEdit

DATA = b"# M\n- a\n- b\n- a\n- c\n"


def edit(old: bytes, offset: int, new: bytes = b"", id: str = "1") -> ProposedEdit:
    return fitting.anchored(DATA, ProposedEdit(id, "M.md", offset, old, new))


FIRST, SECOND = edit(b"- a\n", 4), edit(b"- a\n", 12)
STAYS = edit(b"- a\n", 4, b"- a\n")
IN_FRONT = edit(b"", 8, b"- new\n")


@pytest.mark.parametrize(
    ("made", "before", "after"),
    [
        (edit(b"- b\n", 8), b"", b""),
        (FIRST, b"# M\n", b"- b\n"),
        (SECOND, b"- b\n", b"- c\n"),
        (IN_FRONT, b"- a\n", b"- b\n"),
    ],
)
def test_so_much_around_it_that_it_is_found(made: ProposedEdit, before: bytes, after: bytes) -> None:
    assert (made.before, made.after) == (before, after)


@pytest.mark.parametrize(("lines", "found"), [(3, True), (100, True), (5000, False)])
def test_what_is_kept_around_it_has_a_bound(lines: int, found: bool) -> None:
    made = fitting.anchored(b"- a\n" * lines, ProposedEdit("1", "M.md", 4, b"- a\n", b""))
    around = len(made.before) + len(made.after)
    assert (around > 0) == found
    assert around < 4 * fitting.AROUND


def made_of(edits: list[ProposedEdit], data: bytes, *, same: bool = False) -> bytes | None:
    found = fitting.placed(edits, data, same=same)
    return None if found is None else fitting.applied(found, data)


@pytest.mark.parametrize(
    ("edits", "now", "made"),
    [
        ([SECOND], DATA, b"# M\n- a\n- b\n- c\n"),
        ([FIRST], b"Mine\n" + DATA, b"Mine\n# M\n- b\n- a\n- c\n"),
        ([IN_FRONT], DATA + b"- d\n", b"# M\n- a\n- new\n- b\n- a\n- c\n- d\n"),
        ([STAYS, SECOND], DATA, b"# M\n- a\n- b\n- c\n"),
        ([STAYS, SECOND], b"# M\n- b\n- a\n- c\n", None),  # what was to stay went: both would be the one that is left
        ([SECOND], b"# M\n- b\n- a\n- c\n", b"# M\n- b\n- c\n"),
        ([SECOND], b"# M\n- a\n- b\n- x\n- a\n", None),
        ([edit(b"- b\n", 8)], b"# M\n- a\n", None),
        ([edit(b"- b\n", 8)], DATA + b"- b\n", None),
        ([IN_FRONT], b"# M\n", None),
        ([], DATA, DATA),
    ],
)
def test_placed_by_the_old_text(edits: list[ProposedEdit], now: bytes, made: bytes | None) -> None:
    assert made_of(edits, now) == made


def test_of_the_same_bytes_the_place_is_known() -> None:
    bare = ProposedEdit("1", "M.md", 12, b"- a\n", b"")
    assert made_of([bare], DATA) is None
    assert made_of([bare], DATA, same=True) == b"# M\n- a\n- b\n- c\n"
    wrong = bare._replace(offset=5)
    assert made_of([wrong], DATA, same=True) is None


def test_edits_that_meet_do_not_fit() -> None:
    wide = ProposedEdit("2", "M.md", 4, b"- a\n- b\n", b"")
    assert made_of([wide, edit(b"- b\n", 8)], DATA, same=True) is None
    assert made_of([wide._replace(new=wide.old), edit(b"- b\n", 8, b"- b\n")], DATA, same=True) == DATA


def test_which_items_do_not_fit() -> None:
    one, two = edit(b"- b\n", 8, id="1"), edit(b"- c\n", 16, id="2")
    assert fitting.misfits([one, two], b"# M\n- c\n", same=False) == ["1"]
    assert fitting.misfits([one, two], None, same=False) == ["1", "2"]
    assert fitting.misfits([one, one._replace(id="3"), two], DATA, same=True) == ["3"]


def test_the_rest_is_carried_along() -> None:
    done = fitting.placed([FIRST._replace(new=b"- longer than that\n")], DATA, same=True)
    assert done is not None
    new = fitting.applied(done, DATA)
    [second, met] = fitting.carried([SECOND, edit(b"- a\n- b\n", 4)], done, DATA, same=True)
    assert new[second.offset :].startswith(b"- a\n- c\n")
    assert met == edit(b"- a\n- b\n", 4)
    assert made_of([second], new, same=True) == b"# M\n- longer than that\n- b\n- c\n"
    [lost] = fitting.carried([SECOND._replace(old=b"nowhere")], done, DATA, same=True)
    assert lost.offset == SECOND.offset


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=12)


@given(LINES, st.data())
def test_an_edit_is_made_where_its_text_stands_or_not_at_all(lines: list[bytes], data: st.DataObject) -> None:
    text = b"".join(lines)
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    first, last = (len(b"".join(lines[:at])) for at in (start, end))
    made = fitting.anchored(text, ProposedEdit("1", "M.md", first, text[first:last], b"X\n"))
    expected = text[:first] + b"X\n" + text[last:]
    assert made_of([made], text, same=True) == expected
    assert made_of([made], b"new\n" + text) in (None, b"new\n" + expected)
    if text and text[first:last].strip():
        assert made_of([made], text) == expected
