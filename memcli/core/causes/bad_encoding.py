"""A file in the wrong encoding: a byte order mark, UTF-16, the code page of some editor or shell."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "bad-encoding"
SAMPLE = 200
"""So many characters of a line are shown as evidence."""


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat that repair can read in the encoding that it has."""
    found = mended.way(case, chat)
    if found is None or not found.codes & mended.ENCODING or "--lossy" in found.options:
        return
    told = []
    if "--encoding" in found.options:
        name, text = mended.encoding(case, chat)
        told.append(f"In {name} a line of it says: {text[:SAMPLE]}")
    yield mended.verdict(case, chat, CAUSE, found, *told)
