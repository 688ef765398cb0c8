"""The power went before the disk had it all: runs of NUL where rows were, or a file of 0 bytes."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "power-loss"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with NULs in it that repair takes out."""
    found = mended.way(case, chat)
    if found is not None and found.codes & mended.POWER:
        made = mended.verdict(case, chat, CAUSE, found)
        yield made._replace(lost=None, evidence=(*made.evidence, "How many rows stood there cannot be known."))
