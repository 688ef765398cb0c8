"""The loss guard counts what goes, not what moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core import loss
from memcli.errors import RefusedForSafety

EIGHT = "".join(f"- fact number{place} about thing{place}\n" for place in range(8))
LINES = EIGHT.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", "anything\n", ""),
        ("", "", ""),
        (EIGHT, EIGHT, ""),
        (EIGHT, EIGHT + "- more\n", ""),
        (EIGHT, "".join(reversed(LINES)), ""),
        (EIGHT, EIGHT.replace("\n", "\r\n\n"), ""),
        (EIGHT, EIGHT.replace("- ", "  *  "), ""),
        (EIGHT, "".join(LINES[2:]), ""),
        (EIGHT, "".join(LINES[3:]), "3 of 8 lines"),
        (EIGHT, "", "8 of 8 lines"),
        (EIGHT, EIGHT.replace("number1 about ", "").replace("number2 about ", "").replace("number3", "no. 3"), ""),
        (EIGHT, EIGHT.replace("fact number", "entirely new words without any of the old ones "), "bytes of text"),
        ("- one\n- two\n- three\n", "- one\n- two\n", "1 of 3 lines"),
        ("- one\n" * 4, "- one\n", "3 of 4 lines"),
        ("- 用户喜欢简短的回答\n- 端口是 8080\n", "- 端口是 8080，用户喜欢简短的回答\n", ""),
        ("- 用户喜欢简短的回答\n- 端口是 8080\n", "- 端口是 8080\n", "1 of 2 lines"),
        ("short\n" * 9 + "long " * 300 + "\n", "short\n" * 9, "bytes of text"),
        ("---\n===\n***\n---\n", "---\n===\n", "2 of 4 lines"),
    ],
)
def test_what_goes(old: str, new: str, why: str) -> None:
    loss.check(old.encode(), new.encode(), True)
    if not why:
        loss.check(old.encode(), new.encode(), False)
        return
    with pytest.raises(RefusedForSafety, match=why) as caught:
        loss.check(old.encode(), new.encode(), False)
    assert "--allow-loss" in caught.value.sentence
    assert caught.value.facts["why"] == "loss"


def test_bytes_that_are_no_utf_8() -> None:
    old = b"- caf\xe9\n- \xff\xfe\n- x\n- y\n"
    assert loss.lost(old, old) == (0, 4, 0, 8)
    assert loss.lost(old, b"- x\n- y\n")[:2] == (2, 4)


WORDS = st.lists(st.sampled_from(["a", "bb", "ccc", "端口", "8080", "\n", "\n", "- ", "\r"]), max_size=30).map(" ".join)


@given(old=WORDS, more=WORDS)
def test_adding_loses_nothing(old: str, more: str) -> None:
    raw = old.encode()
    assert loss.lost(raw, more.encode() + b"\n" + raw)[::2] == (0, 0)
    lines, there, gone, size = loss.lost(raw, more.encode())
    assert 0 <= lines <= there
    assert 0 <= gone <= size
    assert loss.lost(raw, b"")[::2] == loss.lost(raw, b"")[1::2]
