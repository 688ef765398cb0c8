"""The queue of compact: by silence times rows, a few a run, each skipped session with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core import queue
from memcli.core.counts import Count
from memcli.core.queue import Candidate
from memcli.core.states import Limits, Marks

NOW = 1_750_000_000.0


def count(key: str = "a", rows: int = 20, minutes: float = 60, **marks: Any) -> Count:
    return Count(f"/s/{key}.jsonl", 100, int((NOW - 60 * minutes) * 1e9), rows, key, Marks(**marks))


CASES: list[tuple[str, Candidate, str, str]] = [
    ("chosen", Candidate(count()), "", ""),
    ("unreadable", Candidate(count(rows=-1)), "unreadable", "it cannot be read"),
    ("live", Candidate(count(minutes=0.5)), "live", "it was changed less than a minute ago"),
    ("fresh", Candidate(count(minutes=44)), "fresh", "it is idle for 44 of 45 minutes"),
    ("just ended", Candidate(count(minutes=45)), "", ""),
    ("from the future", Candidate(count(minutes=-90)), "live", "it was changed less than a minute ago"),
    ("from a wrong clock", Candidate(count(minutes=-2000)), "", ""),
    ("closed without rows", Candidate(count(rows=0, minutes=1, closed=True)), "short", "it has no rows"),
    ("short", Candidate(count(rows=8)), "short", "it has no more than the 8 rows that stay"),
    ("one more", Candidate(count(rows=9)), "", ""),
    ("summarised by the agent", Candidate(count(summarised=12)), "compacted", "a summary stands for all but 8 rows"),
    ("but not all of it", Candidate(count(summarised=11)), "", ""),
    ("all of it", Candidate(count(summarised=19)), "compacted", "a summary stands for all but 1 row"),
    ("summarised by memcli", Candidate(count(), summarised=12), "compacted", "a summary stands for all but 8 rows"),
    ("memcli knows better", Candidate(count(summarised=12), summarised=3), "", ""),
    ("one long turn", Candidate(count(), done=True), "short", "no whole turn can go"),
    ("looked at", Candidate(count(), summarised=3, done=True), "compacted", "a summary stands for all but 17 rows"),
    ("read by nobody", Candidate(count(), unread="nobody reads it"), "unread", "nobody reads it"),
    ("proposed", Candidate(count(), proposed="p3"), "proposed", "a summary of it waits in the inbox as p3"),
    ("more than there are", Candidate(count(), summarised=99), "compacted", "a summary stands for all but 0 rows"),
    ("taken out before", Candidate(count(rows=8, taken=True)), "compacted", "a summary stands for all but 8 rows"),
    ("in the archive", Candidate(count(rows=8), archived=40), "compacted", "a summary stands for all but 8 rows"),
    ("backed off", Candidate(count(), waits=290), "backed-off", "it failed, and is tried again in 5 minutes"),
    ("nearly over", Candidate(count(), waits=1), "backed-off", "it failed, and is tried again in 1 minutes"),
    ("set aside", Candidate(count(), waits=290, aside=True), "set-aside", "it failed too often"),
    ("own work", Candidate(count(), own=True), "own-work", "it is the agent's own work on its memory"),
]


@pytest.mark.parametrize(("one", "reason", "why"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_reasons(one: Candidate, reason: str, why: str) -> None:
    [found] = queue.queue([one], NOW)
    assert (found.reason, found.why) == (reason, why)
    assert reason in ("", *queue.REASONS)


def test_the_score_is_minutes_times_rows() -> None:
    [found] = queue.queue([Candidate(count(rows=200, minutes=4320))], NOW)
    assert (found.minutes, found.score, found.left, found.state) == (4320, 864_000, 200, "ended")
    [found] = queue.queue([Candidate(count(rows=100, minutes=0.2))], NOW)
    assert found.score == 100
    assert queue.queue([Candidate(count(rows=-1))], NOW)[0].score == 0


def test_the_longest_idle_and_longest_first_and_three_of_them() -> None:
    every = [Candidate(count(key, rows, minutes)) for key, rows, minutes in
             (("a", 20, 60), ("b", 200, 50), ("c", 9, 100), ("d", 30, 400), ("e", 10, 90), ("f", 500, 1))]  # fmt: skip
    found = queue.queue(every, NOW)
    assert [(one.session.key, one.reason) for one in found] == [
        ("d", ""),
        ("b", ""),
        ("a", ""),
        ("c", "later"),
        ("e", "later"),
        ("f", "fresh"),
    ]
    assert found[3].why == "3 others come before it"
    assert [one.session.key for one in queue.queue(every, NOW, most=1) if not one.reason] == ["d"]


def test_whether_the_agent_is_at_work_is_asked_only_where_it_matters() -> None:
    every = [Candidate(count(key, rows)) for key, rows in (("a", 50), ("b", 40), ("c", 30), ("d", 20), ("e", 8))]
    asked: list[str] = []

    def busy(one: Count) -> str:
        asked.append(one.key)
        return "somebody has it open" if one.key in ("a", "c") else ""

    found = {one.session.key: (one.reason, one.why) for one in queue.queue(every, NOW, most=1, busy=busy)}
    assert asked == ["a", "b"]
    assert found["a"] == ("locked", "somebody has it open")
    assert [key for key, (reason, _) in found.items() if not reason] == ["b"]


def test_another_keep_and_other_limits() -> None:
    one = Candidate(count(rows=5, minutes=3))
    assert queue.queue([one], NOW, Limits(1, 120), keep=2)[0].reason == ""
    assert queue.queue([one], NOW, Limits(1, 240), keep=2)[0].why == "it is idle for 3 of 4 minutes"
    assert queue.queue([one], NOW, Limits(600, 1200), keep=2)[0].why == "it was changed just now"


def test_nothing_at_all() -> None:
    assert queue.queue([], NOW) == []


@given(st.lists(st.tuples(st.integers(-1, 40), st.integers(0, 200), st.integers(0, 40), st.booleans())))
def test_what_is_chosen_scores_highest_among_those_that_could_be(every: list[tuple[int, int, int, bool]]) -> None:
    candidates = [
        Candidate(count(str(number), rows, minutes), summarised=done, waits=60.0 * waits)
        for number, (rows, minutes, done, waits) in enumerate(every)
    ]
    found = queue.queue(candidates, NOW)
    assert sorted(one.session.key for one in found) == sorted(one.session.key for one in candidates)
    chosen = [one for one in found if not one.reason]
    later = [one for one in found if one.reason == "later"]
    assert len(chosen) == min(3, len(chosen) + len(later))
    assert min((one.score for one in chosen), default=0) >= max((one.score for one in later), default=0)
    assert all(one.left > 8 and one.state == "ended" for one in chosen)


def test_an_agent_at_work_on_all_is_not_asked_about_for_ever() -> None:
    asked: list[str] = []

    def busy(one: Count) -> str:
        asked.append(one.key)
        return "it is at work"

    found = queue.queue([Candidate(count(f"k{n:03}", rows=100 - n // 2)) for n in range(60)], NOW, busy=busy)
    assert len(asked) == queue.ASKED
    assert [one.reason for one in found].count("locked") == queue.ASKED
    assert {one.why for one in found if one.reason == "later"} == {f"{queue.ASKED} others come before it"}


def test_what_cannot_be_cut_leaves_its_place_to_the_next() -> None:
    found = queue.queue(
        [Candidate(count(f"k{n}", rows=100 - n)) for n in range(6)],
        NOW,
        look=lambda one: ("short", "no whole turn of it can go") if one.key in ("k0", "k2") else ("", ""),
    )
    assert [one.session.key for one in found if not one.reason] == ["k1", "k3", "k4"]
    assert [(one.session.key, one.reason) for one in found if one.reason] == [
        ("k0", "short"),
        ("k2", "short"),
        ("k5", "later"),
    ]
