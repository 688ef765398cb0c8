"""Tries and pauses on a clock that moves only when somebody waits."""

from __future__ import annotations

import time

import pytest

from memcli.llm import trying
from memcli.llm.trying import Failure, asked_to_wait, persist, within


class Clock:
    """A clock; sleeping moves it, and so does an attempt that takes a while."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.left: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def persist(
        self, outcomes: list[Failure | str], seconds: float, tries: int, took: float = 0.0, lot: float = 1.0
    ) -> str:
        def attempt(left: float) -> str:
            self.left.append(left)
            self.now += took
            outcome = outcomes[len(self.left) - 1]
            if isinstance(outcome, Failure):
                raise outcome
            return outcome

        return persist(attempt, seconds, tries, clock=lambda: self.now, sleep=self.sleep, lot=lambda: lot)


def passing(after: float = 0.0) -> Failure:
    return Failure("it is busy", "busy", again=True, after=after)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_does_not_pass_is_tried_once(clock: Clock) -> None:
    with pytest.raises(Failure, match="no") as caught:
        clock.persist([Failure("no", "refused"), "yes"], 60, 5)
    assert (caught.value.tries, clock.slept) == (1, [])


def test_pauses_double_up_to_a_bound(clock: Clock) -> None:
    assert clock.persist([*(passing() for _ in range(8)), "yes"], 600, 9) == "yes"
    assert clock.slept == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert clock.left == [600, 599.5, 598.5, 596.5, 592.5, 584.5, 568.5, 548.5, 528.5]


@pytest.mark.parametrize("lot", [0.0, 0.25])
def test_pauses_are_drawn_from_zero_on(clock: Clock, lot: float) -> None:
    assert clock.persist([passing(), passing(), "yes"], 60, 3, lot=lot) == "yes"
    assert clock.slept == [lot * 0.5, lot]


def test_the_number_of_tries_is_bounded(clock: Clock) -> None:
    with pytest.raises(Failure) as caught:
        clock.persist([passing() for _ in range(3)], 60, 3)
    assert (caught.value.tries, len(clock.slept)) == (3, 2)


def test_a_pause_is_not_shorter_than_asked(clock: Clock) -> None:
    assert clock.persist([passing(after=7), passing(after=0.1), "yes"], 60, 3) == "yes"
    assert clock.slept == [7, 1]


@pytest.mark.parametrize(
    ("after", "why"), [(61, "it is busy and asks to wait 61 s, and there is no time for another try")]
)
def test_a_pause_that_does_not_fit(clock: Clock, after: float, why: str) -> None:
    with pytest.raises(Failure) as caught:
        clock.persist([passing(after), "yes"], 60, 3)
    assert (caught.value.why, caught.value.tries, clock.slept) == (why, 1, [])


def test_time_is_never_exceeded(clock: Clock) -> None:
    with pytest.raises(Failure, match="busy"):
        clock.persist([passing() for _ in range(9)], 10, 9, took=3)
    assert clock.now <= 1000 + 10 + 3
    assert len(clock.left) == 3


@pytest.mark.parametrize("seconds", [0, -5])
def test_no_time_at_all(clock: Clock, seconds: float) -> None:
    with pytest.raises(Failure, match="it took longer") as caught:
        clock.persist(["yes"], seconds, 3)
    assert (caught.value.kind, clock.left) == ("too-slow", [])


def test_within_hands_on_what_comes() -> None:
    assert within(30, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        within(float("inf"), lambda: 1 // 0)


def test_within_does_not_wait_for_ever() -> None:
    with pytest.raises(Failure, match=r"it took longer than 0\.02 s"):
        within(0.02, lambda: time.sleep(2))


NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"retry-after": "120"}, 120),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "inf"}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"}, 60),
        ({"retry-after": "Sun, 06 Nov 1994 08:40:37 GMT"}, 0),
        ({"retry-after": "Sun, 06 Nov 99999 08:40:37 GMT"}, 0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "3"}, 3),
    ],
)
def test_what_a_service_asks_for(headers: dict[str, str], seconds: float) -> None:
    assert asked_to_wait(headers, lambda: NOW) == seconds


def test_bounds_are_sane() -> None:
    assert 0 < trying.FIRST < trying.LONGEST
