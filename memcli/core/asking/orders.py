"""Orders to whoever reads an entry ("ignore previous instructions ..."): a turn with one is not shown to a model at all."""

from __future__ import annotations

import re
from typing import NamedTuple

from memcli.llm.offline.injections import addressed


class Turn(NamedTuple):
    """One turn of an entry: `mark` is how it begins ("[user] "), `order` tells that somebody gives orders in it."""

    mark: str
    text: str
    order: bool


def turns(content: str) -> list[Turn]:
    """The turns of an entry: put together again they are the entry. Where no single turn gives an order and all of them together
    do, each counts as one."""
    pieces = _MARK.split(content)
    pairs = [("", pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]
    found = [Turn(mark, text, addressed(text)) for mark, text in pairs if mark or text]
    if not any(turn.order for turn in found) and addressed(content):
        return [turn._replace(order=True) for turn in found]
    return found


def is_order(text: str) -> bool:
    """Whether a line that a model wrote is such an order; that it speaks of "the user" is no sign of one here."""
    return addressed(_USER.sub(" ", text))


_MARK = re.compile(r"^(\[(?:user|assistant|tool|system)\][ \t]?)", re.MULTILINE | re.IGNORECASE)
_USER = re.compile(r"\b(?:that )?the user\b|(?:该|此|本)?用户", re.IGNORECASE)
