"""How far a session was read, found again in files that were written anew."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.row_marks import KEPT, digest, locate


def test_spelling_and_order_do_not_matter() -> None:
    value = {"role": "user", "content": "你好"}
    raw = json.dumps(value).encode()
    assert digest(value, raw) == digest(dict(reversed(value.items())), b"other bytes")
    assert digest({**value, "content": "hello"}, raw) != digest(value, raw)


def test_what_json_cannot_hold_is_known_by_its_bytes() -> None:
    assert digest({"content": "\ud83d"}, b"a") != digest({"content": "\ud83d"}, b"b")


@pytest.mark.parametrize(
    ("tail", "row", "digests", "read"),
    [
        ("abc", 3, "abcd", 3),
        ("abc", 3, "abc", 3),
        ("abc", 3, "", 0),
        ("abc", 3, "xyz", 0),
        ("abc", 3, "bcde", 2),
        ("abc", 3, "abXd", 2),
        ("abc", 3, "XXcd", 3),
        ("oko", 3, "okokoko", 3),
        ("kok", 6, "okokoko", 6),
        ("", 0, "abc", 0),
    ],
    ids=lambda value: str(value),
)
def test_places(tail: str, row: int, digests: str, read: int) -> None:
    assert locate(list(tail), row, list(digests)) == read


@given(st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=40, unique=True), st.data())
def test_rows_that_went_at_the_front_and_came_behind(rows: list[str], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(rows)))
    gone = data.draw(st.integers(0, count - 1))
    tail = rows[:count][-KEPT:]
    assert locate(tail, count, rows[gone:]) == count - gone
