"""Tokens, seconds and rounds of a run, counted."""

from __future__ import annotations

import pytest
from support.asked import Answering, Ticking

from memcli.core.asking.budget import Limits, Meter, OverBudget, asked, estimate
from memcli.errors import ProviderFailed
from memcli.model import Message, ModelCall, ModelTool, Question, Reply
from memcli.tokens import count

QUESTION = Question((Message("system", "Be brief."), Message("user", "What is new?")), most=500)


@pytest.mark.parametrize(
    "text", ["", "We decided to use pnpm for everything from now on.", "以后回答我的时候简短一点", "pnpm 管理依赖"]
)
def test_an_estimate_is_near_the_truth(text: str) -> None:
    assert count([text]) - 2 <= estimate(text) <= 2 * count([text]) + 2


@pytest.mark.parametrize(("told", "spent"), [(77, 77), (None, asked(QUESTION) + 6), (0, asked(QUESTION) + 6)])
def test_what_the_provider_tells_counts_and_else_an_estimate(told: int | None, spent: int) -> None:
    meter = Meter(Limits())
    meter.ask(Answering(Reply("nothing", spent=told)), QUESTION)
    assert (meter.spent, meter.rounds) == (spent, 1)


def test_an_answer_may_not_be_longer_than_what_is_left() -> None:
    model = Answering("one", "two", spent=200)
    meter = Meter(Limits(tokens=600))
    meter.ask(model, QUESTION)
    meter.ask(model, QUESTION)
    assert [question.most for question in model.asked] == [500, 400 - asked(QUESTION)]
    with pytest.raises(OverBudget, match="200 of 600 tokens are left"):
        meter.ask(model, QUESTION._replace(most=5000, tools=(TOOL,)))


TOOL = ModelTool("read_file", "Show it.", {})


def test_seconds_are_those_of_the_clock() -> None:
    model = Answering("one", "two")
    meter = Meter(Limits(seconds=10, clock=Ticking(2)))
    meter.ask(model, QUESTION)
    meter.ask(model, QUESTION)
    with pytest.raises(OverBudget, match="10 seconds of the run are over"):
        meter.ask(model, QUESTION)
    assert model.seconds == [6.0, 2.0]


def test_a_clock_that_was_set_back_gives_no_time() -> None:
    times = iter([100.0, 50.0, 50.0])
    meter = Meter(Limits(seconds=10, clock=lambda: next(times)))
    assert meter.seconds == 60.0


def test_a_question_that_fails_is_a_round() -> None:
    meter = Meter(Limits(rounds=1))
    with pytest.raises(ProviderFailed, match="end"):
        meter.ask(Answering(), QUESTION)
    with pytest.raises(OverBudget, match="asked 1 times"):
        meter.ask(Answering("x"), QUESTION)


def test_calls_and_tools_are_counted() -> None:
    called = Message("assistant", "", (ModelCall("1", "edit_file", "x" * 400),))
    assert asked(Question((called,))) > 100
    assert asked(Question((called,), (TOOL,))) > asked(Question((called,)))
