"""The agent threw rows away and left one that says how many."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.causes import mended, restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.core.rows import read
from memcli.errors import CannotRead
from memcli.formats import load, rules
from memcli.model import Verdict
from memcli.storage.reading import open_regular

CAUSE = "overwritten-by-agent"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session whose first row stands for others; they are where an earlier copy of it is."""
    gone = 0 if restoring.is_told(case, chat) else _gone(chat)
    if not gone or chat.ref is None:
        return
    found = restoring.best(case, chat)
    told = f"The first row says that the agent threw {gone:,} rows away, of which it kept nothing; there may have been more."
    if found is not None and found.rows > gone:  # it has others as well: it went on by itself
        return
    if found is not None:
        where = f"{found.source.shown} has {found.rows} rows of them."
        lost = max(0, gone - found.rows)
        yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, lost, (told, where), found.command)
    elif not case.question.text and mended.way(case, chat) is None:
        show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", "1")
        yield Verdict(chat.key, CAUSE, "session", 0, gone, (told, "No copy from before was found."), show)


def _gone(chat: Chat) -> int:
    """How many rows the first row stands for."""
    discarded = rules(chat.workspace.agent).ROWS.discarded
    if chat.ref is None or discarded is None:
        return 0
    try:
        fd = open_regular(chat.ref.path)
    except CannotRead:
        return 0
    try:
        first = next((row for row in read(fd, load(chat.ref.agent)) if row.number), None)
        return discarded(first.decoded.values[0]) if first and first.decoded.values else 0
    except OSError:
        return 0
    finally:
        os.close(fd)
