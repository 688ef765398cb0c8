"""A language model that answers from a list, in memory, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memcli.errors import ProviderFailed
from memcli.model import Batch, Entry, ModelCall, Question, Reply

Answer = str | Reply | Exception | Callable[[Question], "Answer"]


class Answering:
    """Gives its answers in order, each once: a text, a Reply, an error to raise, or a function of the question."""

    name = "answering"
    model = "list"
    tools = True

    def __init__(self, *answers: Answer, spent: int | None = None) -> None:
        self.answers = list(answers)
        self.spent = spent
        self.asked: list[Question] = []
        self.seconds: list[float] = []

    def reply(self, question: Question, seconds: float) -> Reply:
        self.asked.append(question)
        self.seconds.append(seconds)
        if not self.answers:
            raise ProviderFailed("The list of answers is at its end.")
        answer = self.answers.pop(0)
        while callable(answer) and not isinstance(answer, Reply | Exception | str):
            answer = answer(question)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(answer, spent=self.spent)

    @property
    def last(self) -> str:
        """All texts of the last question."""
        return "\n".join(message.text for message in self.asked[-1].messages)


class Ticking:
    """A clock that goes on by so many seconds each time that it is looked at."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def batch(case: dict[str, Any]) -> Batch:
    """The batch of a case: entries as [cursor, content] or [cursor, content, at]."""
    return Batch(tuple(Entry(*entry) for entry in case["entries"]), case.get("memory", ""))


def answers(values: Sequence[Any]) -> list[Answer]:
    """The answers of a case: a text; {"json": value}; {"text": ..., "cut": true}; {"fails": sentence};
    {"repeat": text, "times": n}."""
    return [_answer(value) for value in values]


def call(name: str, arguments: str, id: str = "c1") -> Reply:
    """An answer that is one tool call."""
    return Reply("", (ModelCall(id, name, arguments),))


def _answer(value: Any) -> Answer:
    import json

    if isinstance(value, str):
        return value
    if "fails" in value:
        return ProviderFailed(value["fails"])
    if "json" in value:
        return Reply(json.dumps(value["json"], ensure_ascii=False), cut=value.get("cut", False))
    if "repeat" in value:
        return value.get("before", "") + value["repeat"] * value["times"] + value.get("after", "")
    return Reply(value["text"], cut=value.get("cut", False))
