"""Work shared between two processes: results in order, whatever becomes of the helper."""

from __future__ import annotations

import os
import signal

import pytest

from memcli.core import sharing


def here_or_there(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


@pytest.mark.parametrize("sizes", [[5, 1, 1, 1, 1], [1, 1, 1, 1, 5], [1, 1, 1, 1, 1], [0, 0, 0, 0, 9]])
def test_results_come_in_order_from_both(sizes, monkeypatch):
    monkeypatch.setattr(sharing, "ENOUGH", 1)
    told: list[int] = []
    found = sharing.share(list(range(5)), sizes, here_or_there, told.append)
    assert [result for result, _ in found] == [0, 1, 4, 9, 16]
    assert found[0][1] == os.getpid()
    assert told == sorted(told)
    assert len({pid for _, pid in found}) == (1 if sizes[-1] in (5, 9) else 2)


def test_little_work_stays_here():
    found = sharing.share([1, 2], [10, 10], here_or_there)
    assert {pid for _, pid in found} == {os.getpid()}


def test_the_share_of_a_helper_that_dies_is_done_here(monkeypatch):
    monkeypatch.setattr(sharing, "ENOUGH", 1)
    parent = os.getpid()

    def work(number: int) -> tuple[int]:
        if number == 3 and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return (number,)

    assert sharing.share(list(range(5)), [1] * 5, work) == [(number,) for number in range(5)]
