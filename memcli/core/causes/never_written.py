"""What was said and never written: a row that makes each save of the chat fail, or a key that no file can be called after."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.formats import habits, load
from memcli.model import Verdict

CAUSE = "never-written"
NAME = 255
"""A file's name has at most so many bytes."""
CHECKPOINT = "checkpoint"
"""The layer of the files that hold a turn in flight."""
BESIDE = ".tmp"
"""The agent writes beside the file first, under a name that is longer by this."""


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session that was asked for and that cannot be saved; a turn that was cut off and of which no row was written."""
    if not case.question.text:
        yield from _unsaved(case, chat)
        yield from _nameless(case, chat)
    yield from _in_flight(case, chat)


def _unsaved(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session whose file the agent can save no more."""
    sent = case.sent(chat)
    if sent is None or not sent.unsaved:
        return
    told = (
        f"Row {sent.unsaved} makes every save of the chat fail: what was said after it was last saved was never written.",
        *(finding.message for finding in case.findings(chat) if finding.code == "lone-surrogate"),
    )
    show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", str(sent.unsaved))
    yield Verdict(chat.key, CAUSE, "session", 0, None, told, show)


def _nameless(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session without a file whose key makes a name that is too long."""
    name = load(chat.workspace.agent).layout.name_of(chat.key, chat.workspace.era) if chat.key else None
    if chat.ref is not None or name is None or case.told(chat):
        return
    size = len(os.fsencode(name)) + len(BESIDE)
    if size > NAME:
        told = f"The agent would keep it in a file whose name, with the {BESIDE} of its writes, has {size} bytes;"
        told += f" the system allows {NAME}: every message to it failed."
        yield Verdict(chat.key, CAUSE, "session", 0, None, (told,))


def _in_flight(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Words that only the file of a turn in flight has; of a session that was asked for, such a file that will be thrown away."""
    view = case.view(chat)
    found = case.of(chat, CHECKPOINT)
    traces = chat.rows(CHECKPOINT)
    if chat.ref is None or view is None or not found or case.told(chat) or chat.rows("session"):
        return
    source = found[0]
    why = habits(chat.ref.agent).dropped(source.path, chat.ref.path, view.seen)
    if not (traces if case.question.text else why):
        return
    told = [f"{source.shown} holds a turn that was cut off; no row of it is in the session."]
    if why:
        told.append(f"The agent throws it away when it next opens the chat, because {why}. Copy it first.")
    else:
        told.append("The agent writes down what is left of it when the chat goes on.")
    show = command(chat.workspace, "sessions", "show", named(case, chat))
    yield Verdict(chat.key, CAUSE, CHECKPOINT, 0, 0, tuple(told), show)
