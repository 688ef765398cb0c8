"""Small phrases: counts and durations as people write them."""

from __future__ import annotations

import pytest

from memcli.output.words import duration, many, passed_over


@pytest.mark.parametrize(
    ("count", "noun", "plural", "phrase"),
    [
        (0, "row", "", "0 rows"),
        (1, "row", "", "1 row"),
        (2, "row", "", "2 rows"),
        (1204, "row", "", "1,204 rows"),
        (1, "match", "matches", "1 match"),
        (2, "match", "matches", "2 matches"),
    ],
)
def test_many(count: int, noun: str, plural: str, phrase: str) -> None:
    assert many(count, noun, plural) == phrase


@pytest.mark.parametrize(
    ("seconds", "phrase"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (86399, "23 h"),
        (86400, "1 day"),
        (5 * 86400 + 1, "5 days"),
    ],
)
def test_duration(seconds: float, phrase: str) -> None:
    assert duration(seconds) == phrase


def test_passed_over() -> None:
    assert passed_over(1, 1) == "1 unreadable line passed over (1 byte)"
    assert passed_over(2, 4350) == "2 unreadable lines passed over (4,350 bytes)"
