"""A file that was renamed or copied by hand: the agent looks for the chat under another name and opens it empty."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import in_place, named, shown
from memcli.core.examining import Target
from memcli.core.viewing import view
from memcli.model import Verdict

CAUSE = "renamed"
MOVED = "moved-by-upgrade"
REROUTE = "reroute"


class Renaming(NamedTuple):
    """What it brings to give a file the name that its key maps to: the new path, rows that the agent shows more and rows that
    are lost, and the command."""

    target: str
    rows: int
    lost: int
    command: str


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file repair can give the name that its key maps to."""
    found = renaming(case, chat)
    if chat.ref is None or found is None or is_copy(case, chat):
        return
    if any(verdict.command == found.command or verdict.cause == MOVED for verdict in case.told(chat)):
        return
    told = (
        f"The file is called {os.path.basename(chat.ref.path)}, and its header has the key {chat.key}.",
        f"The agent looks for that chat in {os.path.basename(found.target)}, which does not exist.",
    )
    yield Verdict(chat.key, CAUSE, "session", found.rows, found.lost, told, found.command)


def renaming(case: Case, chat: Chat) -> Renaming | None:
    """What renaming the chat's file would bring; None where it would bring nothing."""
    if chat.ref is None or case.view(chat) is None or in_place(chat):
        return None
    path = chat.ref.path
    blueprint = case.blueprint(chat, flags={REROUTE: ""})
    target = next(
        (action.detail for action in blueprint.actions if action.kind == "rename" and action.path == path), ""
    )
    if not target:
        return None
    draft = blueprint.drafts.get(path)
    after = view(Target(target, target, "session", chat.workspace), draft.source if draft else path)
    rows = after.seen - shown(case, chat)
    if rows <= 0:
        return None
    again = command(chat.workspace, "repair", named(case, chat), f"--{REROUTE}", "--apply")
    return Renaming(target, rows, blueprint.counts[path].quarantined, again)


def is_copy(case: Case, chat: Chat) -> bool:
    """Whether the chat's file is only a second copy of one that is not there."""
    return any(source.layer == "conflict-copy" and chat.ref and source.path == chat.ref.path for source in case.sources)
