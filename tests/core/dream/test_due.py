"""When a Dream is due, rule by rule and at their edges."""

from __future__ import annotations

import pytest

from memcli.core.dream.due import due
from memcli.core.dream.wishes import Triggers

NOW = 1_800_000_000.0
CASES = {
    # entries, characters, seconds since the last (None: never) -> due
    "nothing waits": (0, 0, 10_000, False),
    "nothing waits and never dreamt": (0, 0, None, False),
    "never dreamt": (1, 5, None, True),
    "half an hour": (1, 5, 1800, True),
    "just under half an hour": (1, 5, 1799, False),
    "three records and ten minutes": (3, 30, 600, True),
    "three records, too early": (3, 30, 599, False),
    "two records and ten minutes": (2, 30, 600, False),
    "six thousand characters at once": (1, 6000, 1, True),
    "just under": (1, 5999, 1, False),
    "the clock was set back": (2, 10, -5000, False),
    "the clock was years ahead": (1, 5, -(10**8), True),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rules(case: tuple[int, int, float | None, bool]) -> None:
    entries, characters, gone, expected = case
    last = None if gone is None else NOW - gone
    told = due(Triggers(), entries=entries, characters=characters, last=last, now=NOW)
    assert told.now is expected
    assert told.why


def test_other_triggers() -> None:
    eager = Triggers(minutes=0, records=1, records_minutes=0, characters=1)
    assert due(eager, entries=1, characters=1, last=NOW, now=NOW).now
    lazy = Triggers(minutes=1e6, records=1000, records_minutes=1e6, characters=10**8)
    assert not due(lazy, entries=99, characters=9999, last=NOW - 86400, now=NOW).now


@pytest.mark.parametrize(
    ("gone", "words"), [(60, "1 minute ago"), (150 * 60, None), (3 * 3600, "3 hours ago"), (5 * 86400, "5 days ago")]
)
def test_words(gone: float, words: str | None) -> None:
    told = due(Triggers(minutes=10), entries=1, characters=1, last=NOW - gone, now=NOW)
    assert words is None or words in told.why
