"""From a batch to items, by whichever provider: ask, validate, ask once more, keep what is usable; nothing is lost in silence."""

from __future__ import annotations

from typing import NamedTuple, cast

from memcli.core.asking import prompts
from memcli.core.asking.budget import Limits, Meter, unheard
from memcli.core.asking.judging import Doubt, Judged, alike, joined, judge, short
from memcli.core.asking.sending import Shown, show
from memcli.errors import ProviderFailed
from memcli.llm import Model, Reader, is_reader
from memcli.model import Batch, Item, Message, Question, Reply

ANSWER = 2048
"""Tokens that an answer may have; twice as many where the first was cut off."""
SHOWN_AGAIN = 8000
"""Characters of its own answer that a model is shown again."""


class Extracted(NamedTuple):
    """What came of a batch. `unverified` are those of `items` whose sources do not surely say it: their confidence is small, and
    some have no source at all. `verified`: the answer passed all guards, and nothing of it is unverified. `notes` are sentences
    on what was left out, dropped or doubted, and why. `spent` are tokens, `rounds` questions; `prompt` is the version of the
    prompts, "" for a reader, which has none."""

    items: tuple[Item, ...]
    verified: bool
    notes: tuple[str, ...] = ()
    spent: int = 0
    rounds: int = 0
    prompt: str = ""
    unverified: tuple[Item, ...] = ()


def extract(provider: Reader | Model, batch: Batch, limits: Limits | None = None) -> Extracted:
    """What of the batch is worth keeping. Raises ProviderFailed when there is no answer, or twice none that could be read;
    OverBudget, which is one of these, when `limits` leave no room to ask."""
    if is_reader(provider):
        return Extracted(tuple(provider.extract(batch)), True)
    if not batch.entries:
        return Extracted((), True, prompt=prompts.PROMPT)
    return _Run(cast("Model", provider), show(batch), Meter(limits or Limits())).extracted()


def extraction(shown: Shown) -> Question:
    """What a model is asked about a batch."""
    return Question(
        (
            Message("system", prompts.EXTRACT.replace("FENCE", shown.fence)),
            Message("user", shown.text + prompts.EXTRACT_ASKED),
        ),
        most=ANSWER,
    )


def once_more(question: Question, reply: Reply, faults: tuple[str, ...]) -> Question:
    """The same question with the model's own answer and what is wrong with it; the data stands in it as before."""
    text = reply.text if len(reply.text) <= SHOWN_AGAIN else reply.text[:SHOWN_AGAIN] + "\n[...]"
    told = Message("user", prompts.again(list(faults), reply.cut))
    messages = (*question.messages, Message("assistant", text.strip() or "(nothing)"), told)
    return question._replace(messages=messages, most=question.most * (2 if reply.cut else 1))


class _Run:
    """One batch at one model."""

    def __init__(self, model: Model, shown: Shown, meter: Meter) -> None:
        self.model, self.shown, self.meter = model, shown, meter
        self.notes = list(shown.notes)

    def extracted(self) -> Extracted:
        question = extraction(self.shown)
        reply = self.meter.ask(self.model, question)
        first = judge(reply, self.shown)
        if not first.faults:
            return self._done(first, True)
        try:
            second = judge(self.meter.ask(self.model, once_more(question, reply, first.faults)), self.shown)
        except ProviderFailed as error:
            if not first.usable:
                raise
            self.notes.append(f"The answer had faults, and the model was not heard again: {unheard(error)}")
            return self._done(first, False)
        if not second.formed and not first.usable:
            raise ProviderFailed(
                f"The model {self.model.name} answered twice with nothing that can be read ({second.faults[0]}); "
                "nothing was changed.",
                spent=self.meter.spent,
                rounds=self.meter.rounds,
            )
        if not second.formed:
            self.notes.append("The second answer cannot be read; what is kept is of the first.")
            return self._done(first, False)
        return self._done(self._merged(first, second), not second.faults)

    def _merged(self, first: Judged, second: Judged) -> Judged:
        """The second answer, and what was sound in the first and is not in it; what was wrong in the first is given up."""
        sound = list(second.sound)
        for item in first.sound:
            twin = next((place for place, other in enumerate(sound) if alike(item, other)), None)
            if twin is None:
                sound.append(item)
            else:
                sound[twin] = joined(sound[twin], item)
        every = [*sound, *(one.item for one in second.doubtful)]
        gone = [*second.gone]
        gone += [
            f"Dropped, as the model gave it up when it was asked again ({one.why}): {short(one.item.text)}."
            for one in first.doubtful
            if not any(alike(one.item, other) for other in every)
        ]
        gone += [note for note in first.gone if note not in gone]
        doubtful = [one for one in second.doubtful if not any(alike(one.item, item) for item in sound)]
        return Judged(True, tuple(sound), tuple(doubtful), second.faults, tuple(gone))

    def _done(self, judged: Judged, passed: bool) -> Extracted:
        self.notes += judged.gone
        self.notes += [_told(one) for one in judged.doubtful]
        unread = [fault for fault in judged.faults if not fault.startswith(("item ", "line "))]
        self.notes += [f"Of the model's answer: {fault}." for fault in unread]
        doubted = tuple(one.item for one in judged.doubtful)
        return Extracted(
            (*judged.sound, *doubted),
            passed and not doubted,
            tuple(self.notes),
            self.meter.spent,
            self.meter.rounds,
            prompts.PROMPT,
            doubted,
        )


def _told(one: Doubt) -> str:
    return f"Kept unverified, as {one.why}: {short(one.item.text)}."
