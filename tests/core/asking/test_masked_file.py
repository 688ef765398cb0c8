"""A file that is edited through its mask: what was masked comes out as it was, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.asking.masked_file import MaskedFile, Refused
from memcli.core.redacting import Redactor

ANN, BOB = "ann@firm.example", "bob@firm.example"


def opened(text: str) -> MaskedFile:
    return MaskedFile(text, Redactor())


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("one", "two", f"two {ANN} and {BOB}\nmail {ANN}\n"),
        ("one [email-1]", "[email-1] one", f"{ANN} one and {BOB}\nmail {ANN}\n"),
        ("[email-1] and [email-2]", "[email-2], [email-1]", f"one {BOB}, {ANN}\nmail {ANN}\n"),
        ("[email-1] and", "[email-1], [email-1] and", f"one {ANN}, [email-1] and {BOB}\nmail {ANN}\n"),
        ("and [email-2]", "and nobody", f"one {ANN} and nobody\nmail {ANN}\n"),
        ("one", "one [email-2]", f"one [email-2] {ANN} and {BOB}\nmail {ANN}\n"),
        ("mail [email-1]\n", "", f"one {ANN} and {BOB}\n"),
    ],
)
def test_an_edit(old: str, new: str, text: str) -> None:
    file = opened(f"one {ANN} and {BOB}\nmail {ANN}\n")
    assert file.shown == "one [email-1] and [email-2]\nmail [email-1]\n"
    file.edit(old, new)
    assert file.text == text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("one", "one", "the same"),
        ("", "x", "old_string is empty"),
        ("three", "x", "does not stand"),
        ("[email-1]", "x", "more than once"),
        (f"one {ANN}", "x", "does not stand"),
        ("one [ema", "x", "cut through"),
        ("-2]\nmail", "x", "cut through"),
    ],
)
def test_an_edit_that_is_refused_changes_nothing(old: str, new: str, why: str) -> None:
    text = f"one {ANN} and {BOB}\nmail {ANN}\n"
    file = opened(text)
    with pytest.raises(Refused, match=why):
        file.edit(old, new)
    assert file.text == text


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_filled(text: str) -> None:
    file = opened(text)
    file.edit("", "- a\n")
    assert file.text == file.shown == "- a\n"


PIECES = st.lists(st.sampled_from([ANN, BOB, " one ", "\n", "两 ", "[email-1]", " x "]), max_size=12).map("".join)


@given(PIECES, st.integers(0, 60), st.integers(1, 30), PIECES)
def test_every_edit_leaves_the_rest_byte_for_byte(text: str, start: int, length: int, new: str) -> None:
    file = opened(text)
    assert file.text == text
    shown = file.shown
    old = shown[start : start + length]
    try:
        file.edit(old, new)
    except Refused:
        assert (file.text, file.shown) == (text, shown)
        return
    place = shown.find(old)
    assert file.shown == (shown[:place] + new + shown[place + len(old) :] if old else new)
    for mail in (ANN, BOB):
        assert file.text.count(mail) <= text.count(mail) + new.count(mail)
