"""What a language has to say for itself: one pattern per kind of signal, made when first used."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple


class Mark:
    """A pattern of small letters for text in small letters, which `re` searches several times faster than without regard
    to case; compiled when it is first asked for (a run that never dreams pays nothing)."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.source)

    def __call__(self, lowered: str) -> bool:
        return self.compiled.search(lowered) is not None

    def after(self, text: str) -> str:
        """The text behind what the pattern finds at its beginning."""
        found = self.compiled.match(small(text))
        return text[found.end() :] if found else text


def small(text: str) -> str:
    """A text in small letters, as long as it was: one letter only has a longer small form."""
    return text.replace("İ", "I").lower()


pattern = Mark


class Marks(NamedTuple):
    """The signals of one language, each asked about a clause or a sentence."""

    lasting: Mark
    """It holds beyond this moment."""
    across: Mark
    """It holds in every project."""
    decided: Mark
    """Something was chosen."""
    norm: Mark
    """So it is to be done: a rule that people gave themselves."""
    manner: Mark
    """How the assistant is to answer, which nobody wants for one answer only."""
    rule: Mark
    """Something must be, or must not."""
    fact: Mark
    """Something is so: a verb of being, place, ownership or time."""
    liking: Mark
    """Somebody likes it so."""
    style: Mark
    """How the assistant is to speak or to work."""
    self_fact: Mark
    """What the speaker is, has or does for a living."""
    self_habit: Mark
    self_choice: Mark
    recurring: Mark
    """It happens again and again."""
    trouble: Mark
    """What happens then: a failure, or what helps."""
    project: Mark
    """Spoken for the team or about this code."""
    myself: Mark
    question: Mark
    asking: Mark
    """Words of a question, which may also stand inside a statement."""
    momentary: Mark
    """A mood, or a liking for the thing at hand."""
    doubt: Mark
    """A guess, a wish, a plan that nobody made."""
    passing: Mark
    """Only for now."""
    dated: Mark
    """It happened lately: no lasting truth, unless it was a choice."""
    hearsay: Mark
    """What others say or do elsewhere."""
    retract: Mark
    """What was said before does not hold."""
    order: Mark
    """A thing to be done once."""
    promise: Mark
    """The assistant will keep to it."""
    report: Mark
    """The assistant did it: what was asked for is over."""
    lead: Mark
    """Words before the statement that say nothing."""
    told: Mark
    """The speaker asks for it to be kept."""
    stop: frozenset[str]
    """Words that do not tell one topic from another."""
