"""What a language has to say for itself: one pattern per kind of signal, made when first used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """What is found out when first asked for and then kept; `functools.cached_property` would take a lock for it."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self.find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        found = instance.__dict__[self.name] = self.find(instance)
        return found


class Mark:
    """A pattern of small letters for text in small letters, which `re` searches several times faster than without regard
    to case; compiled when it is first asked for (a run that never dreams pays nothing)."""

    def __init__(self, source: str) -> None:
        self.source = source

    @Once
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


class Marks(NamedTuple):
    """The signals of one language, each asked about a clause or a sentence."""

    lasting: Mark
    """It holds beyond this moment."""
    across: Mark
    """It holds in every project."""
    decided: Mark
    """Something was chosen."""
    agreed: Mark
    """People came to it together, or who may decide did."""
    state: Mark
    """How or where something is: asked of the first thing that is said."""
    act: Mark
    """What is done with it instead."""
    announces: Mark
    """Rules or decisions come below."""
    norm: Mark
    """So it is to be done: a rule that people gave themselves."""
    limit: Mark
    """How much or how many it may be."""
    must: Mark
    """Said in so many words: it has to be, or may not be."""
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
    transient: Mark
    """How it is at this moment: done, broken, odd."""
    hearsay: Mark
    """What others say or do elsewhere."""
    retract: Mark
    """What was said before does not hold."""
    order: Mark
    """A thing to be done once."""
    bidding: Mark
    """It tells somebody what to do or to leave, which is never how something is."""
    habit: Mark
    """What a group does, as it always does it."""
    jest: Mark
    """It is said for fun."""
    favour: Mark
    """The assistant is asked to help, with this one thing."""
    promise: Mark
    """The assistant will keep to it."""
    noted: Mark
    """The assistant says that it is told something."""
    report: Mark
    """The assistant did it: what was asked for is over."""
    lead: Mark
    """Words before the statement that say nothing."""
    told: Mark
    """The speaker asks for it to be kept."""
