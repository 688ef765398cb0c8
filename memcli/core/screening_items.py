"""What must not get into a memory file: secrets, personal data, orders to the memory, and what is no fact at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memcli import secrets
from memcli.core.redacting import configured
from memcli.llm.offline.injections import addressed
from memcli.memory.phrasing import one_line
from memcli.model import Item

LONGEST = 1000
"""Characters of a fact; a longer text is no single one."""


def refused(items: Iterable[Item]) -> list[tuple[Item, str]]:
    """The items that must not be kept, each with the reason as a clause, which repeats nothing of what it is about. Raises
    ConfigurationError for patterns of the user's that are no patterns."""
    more = configured()
    found: list[tuple[Item, str]] = []
    for item in items:
        why = _why(item.text, more)
        if why:
            found.append((item, why))
    return found


def _why(text: str, more: tuple[secrets.Rule, ...]) -> str:
    if len(text) > LONGEST:
        return f"it has {len(text):,} characters, and a fact at most {LONGEST:,}"
    line = one_line(text)
    if not re.search(r"\w", line):
        return "it says nothing"
    # what stands there, and what would be written: a secret may be cut in two by a line's end
    for seen in dict.fromkeys((text, line)):
        hits = secrets.find(seen, more=more)
        if hits:
            return f"it holds {hits[0].what}"
    if addressed(_ABOUT.sub(r"\1\2", line)):
        return "it reads as an order to the memory or to the model"
    return ""


_ABOUT = re.compile(r"\bthe (user )(?=(?:wants|prefers|agreed)\b)|[该此本](用户)", re.IGNORECASE)
"""How a fact names whom it is about; in what somebody pasted the same words give an order away."""
