"""What a run may ask of a language model: tokens, seconds, rounds; and the meter that keeps to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from memcli.errors import ProviderFailed
from memcli.llm import Model
from memcli.model import Message, Question, Reply

SHORTEST = 128
"""So many tokens must be left for an answer, or nothing is asked."""


class Limits(NamedTuple):
    """Bounds of one run: `tokens` of questions and answers together, `seconds` by `clock`, and how often a model is asked."""

    tokens: int = 60_000
    seconds: float = 180.0
    rounds: int = 20
    clock: Callable[[], float] = time.monotonic


class OverBudget(ProviderFailed):
    """A model was not asked, because the tokens, the seconds or the rounds of the run are used up; nothing was changed."""

    code = "over-budget"


class Meter:
    """Asks a model and counts: `spent` are tokens, as the provider tells or else estimated, `rounds` questions."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.spent = 0
        self.rounds = 0
        self._began = limits.clock()

    @property
    def seconds(self) -> float:
        """How many are left, never less than 0."""
        return max(0.0, self.limits.seconds - (self.limits.clock() - self._began))

    @property
    def tokens(self) -> int:
        """How many are left, never less than 0."""
        return max(0, self.limits.tokens - self.spent)

    def refusal(self, question: Question) -> str:
        """Why this cannot be asked any more, in a clause; "" when it can."""
        if self.rounds >= self.limits.rounds:
            return f"it was asked {self.rounds} times, as often as a run may"
        if self.seconds <= 0:
            return f"the {self.limits.seconds:g} seconds of the run are over"
        needed = asked(question) + min(question.most, SHORTEST)
        if needed > self.tokens:
            return (
                f"{self.tokens:,} of {self.limits.tokens:,} tokens are left for the run, and it takes about {needed:,}"
            )
        return ""

    def ask(self, model: Model, question: Question) -> Reply:
        """The answer, which is never longer than what is left. Raises OverBudget, and ProviderFailed as the model does."""
        why = self.refusal(question)
        if why:
            raise OverBudget(f"The model was not asked: {why}.", spent=self.spent, rounds=self.rounds)
        cost = asked(question)
        self.rounds += 1
        reply = model.reply(question._replace(most=min(question.most, self.tokens - cost)), self.seconds)
        told = reply.spent if reply.spent is not None and reply.spent > 0 else cost + _answered(reply)
        self.spent += told
        return reply


def unheard(error: ProviderFailed) -> str:
    """Its sentence for a note on an answer that is kept all the same: without the words that nothing was changed."""
    return error.sentence.removesuffix(" Nothing was changed.")


def estimate(text: str) -> int:
    """About how many tokens a text is, rather too many than too few: four letters, or one sign of Chinese, make one."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return plain // 4 + (len(text) - plain) + 1


def asked(question: Question) -> int:
    """About how many tokens a question is."""
    return sum(map(_said, question.messages)) + 120 * len(question.tools)


def _said(message: Message) -> int:
    return 4 + estimate(message.text) + sum(estimate(call.name + call.arguments) for call in message.calls)


def _answered(reply: Reply) -> int:
    return _said(Message("assistant", reply.text, reply.calls))
