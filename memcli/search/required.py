"""The literals that a regular expression cannot match without: any one of a set must be in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from memcli.search.anchors import choose

MOST_STRINGS = 16
LONGEST = 64


class Required(NamedTuple):
    """At least one of `literals` is in every text that matches, with or without regard to case."""

    literals: tuple[str, ...]
    ignore_case: bool
    score: float


def required(expression: str, flags: int) -> Required | None:
    """The most selective set of literals that `expression` (valid under `flags`) needs, None when there is none."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told, or not, when the expression was compiled
        tree = import_module("re._parser").parse(expression, flags)
    return _need(tree, bool(tree.state.flags & re.IGNORECASE))


def _need(items: Any, ignore_case: bool) -> Required | None:
    walk = _Walk()
    walk.sequence(items, ignore_case)
    walk.flush()
    return max(walk.offers, key=lambda offer: offer.score, default=None)


class _Walk:
    """Goes along a sequence; `run` are the strings, one of which stands right before the present place.

    What matches no width does not end a run; what may match anything does. Everything met on the way that must be
    in the text is an offer.
    """

    def __init__(self) -> None:
        self.run: list[str] = [""]
        self.folded = False
        self.offers: list[Required] = []

    def sequence(self, items: Any, ignore_case: bool) -> None:
        for operation, argument in items:
            self.item(str(operation), argument, ignore_case)

    def item(self, operation: str, argument: Any, ignore_case: bool) -> None:
        if operation == "SUBPATTERN":
            _, added, removed, items = argument
            self.sequence(items, bool((ignore_case or added & re.IGNORECASE) and not removed & re.IGNORECASE))
        elif operation == "ATOMIC_GROUP":
            self.sequence(argument, ignore_case)
        elif operation == "ASSERT":
            self.offer(_need(argument[1], ignore_case))
        elif operation not in ("AT", "ASSERT_NOT"):
            self.width(operation, argument, ignore_case)

    def width(self, operation: str, argument: Any, ignore_case: bool) -> None:
        strings = _strings(operation, argument)
        if strings is not None and len(strings) * len(self.run) <= MOST_STRINGS:
            joined = [start + end for start in self.run for end in strings]
            if max(map(len, joined)) <= LONGEST:
                self.run = joined
                self.folded |= ignore_case
                return
        self.flush()
        if strings is not None:
            self.run = strings
            self.folded = ignore_case
        elif operation == "BRANCH":
            self.offer(_union([_need(branch, ignore_case) for branch in argument[1]]))
        elif operation in _REPEATS and argument[0] > 0:
            self.sequence(argument[2], ignore_case)
            self.flush()
            self.run = _whole(argument[2]) or [""]  # the last time through stands right before what follows
            self.folded = ignore_case

    def flush(self) -> None:
        """End the run: what it holds is required."""
        self.offer(_rated(self.run, self.folded))
        self.run = [""]
        self.folded = False

    def offer(self, found: Required | None) -> None:
        if found:
            self.offers.append(found)


_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def _rated(literals: Sequence[str], ignore_case: bool) -> Required | None:
    anchors = [choose(literal, ignore_case) if literal else None for literal in literals]
    scores = [anchor.score for anchor in anchors if anchor]
    if len(scores) < len(literals):
        return None
    return Required(tuple(literals), ignore_case, min(scores) - len(literals) / 4)


def _union(needs: list[Required | None]) -> Required | None:
    every = [need for need in needs if need]
    if len(every) < len(needs):
        return None
    literals = {literal: None for need in every for literal in need.literals}
    if len(literals) > MOST_STRINGS:
        return None
    return _rated(list(literals), any(need.ignore_case for need in every))


def _strings(operation: str, argument: Any) -> list[str] | None:
    """All strings that an item can match, when they are few and the item consumes nothing else."""
    if operation == "LITERAL":
        return [chr(argument)]
    if operation == "IN":
        return _members(argument)
    if operation == "BRANCH":
        found = [_whole(branch) for branch in argument[1]]
        every = [string for strings in found if strings is not None for string in strings]
        return None if None in found or len(every) > MOST_STRINGS else list(dict.fromkeys(every))
    if operation in _REPEATS and argument[1] <= LONGEST:
        least, most, items = argument
        once = _whole(items)
        if once is None or (least != most and (least, most) != (0, 1)):
            return None
        found_strings = [""]
        for _ in range(most):
            found_strings = [start + end for start in found_strings for end in once]
            if len(found_strings) > MOST_STRINGS:
                return None
        return found_strings if least else ["", *(string for string in found_strings if string)]
    return None


def _whole(items: Any) -> list[str] | None:
    """All strings that a sequence of plain items can match."""
    found = [""]
    for operation, argument in items:
        strings = _strings(str(operation), argument)
        if strings is None or len(strings) * len(found) > MOST_STRINGS:
            return None
        found = [start + end for start in found for end in strings]
    return found


def _members(items: Any) -> list[str] | None:
    """The characters of a class that lists at most four."""
    found: list[str] = []
    for operation, argument in items:
        if str(operation) == "LITERAL":
            found.append(chr(argument))
        elif str(operation) == "RANGE" and argument[1] - argument[0] < 4:
            found += map(chr, range(argument[0], argument[1] + 1))
        else:
            return None
    return found if len(found) <= 4 else None
