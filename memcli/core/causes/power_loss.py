"""The power went before the disk had it all: runs of NUL where rows were, or a file with nothing in it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import mended, restoring
from memcli.core.causes.blank import is_blank
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.formats import load
from memcli.model import Verdict

CAUSE = "power-loss"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with NULs in it that repair takes out, or whose file is empty and of which there is a copy."""
    if chat.ref is not None and is_blank(chat.ref.path):
        yield from _blank(case, chat)
        return
    found = mended.way(case, chat)
    if found is not None and found.codes & mended.POWER:
        made = mended.verdict(case, chat, CAUSE, found)
        yield made._replace(lost=None, evidence=(*made.evidence, "How many rows stood there cannot be known."))


def _blank(case: Case, chat: Chat) -> Iterator[Verdict]:
    """The verdict on a file with nothing in it: agents that write a header never leave one by themselves."""
    assert chat.ref is not None
    told = f"{chat.ref.shown} holds nothing, or nothing but NUL: it was written and never reached the disk."
    found = restoring.best(case, chat)
    if found is not None:
        lost = found.damaged if found.source.layer == "temp" else None
        where = f"{found.source.shown} has {found.rows} rows of the chat."
        yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, lost, (told, where), found.command)
    elif load(chat.workspace.agent).header_members and not case.question.text:
        show = command(chat.workspace, "sessions", "show", named(case, chat))
        yield Verdict(chat.key, CAUSE, "session", 0, None, (told, "No copy of it was found."), show)
