"""A file that was renamed or copied by hand: the agent looks for the chat under another name and opens it empty."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import in_place, named, shown
from memcli.core.examining import Target
from memcli.core.viewing import view
from memcli.model import Verdict

CAUSE = "renamed"
REROUTE = {"reroute": ""}


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file repair can give the name that its key maps to."""
    if chat.ref is None or case.view(chat) is None or in_place(chat):
        return
    path = chat.ref.path
    blueprint = case.blueprint(chat, flags=REROUTE)
    target = next(
        (action.detail for action in blueprint.actions if action.kind == "rename" and action.path == path), ""
    )
    if not target:
        return
    draft = blueprint.drafts.get(path)
    after = view(Target(target, target, "session", chat.workspace), draft.source if draft else path)
    rows = after.seen - shown(case, chat)
    mend = command(chat.workspace, "repair", named(case, chat), "--reroute", "--apply")
    if rows <= 0 or any(verdict.command == mend for verdict in case.told(chat)):
        return
    told = (
        f"The file is called {os.path.basename(path)}, and its header has the key {chat.key}.",
        f"The agent looks for that chat in {os.path.basename(target)}, which does not exist.",
    )
    lost = blueprint.counts[path].quarantined
    yield Verdict(chat.key, CAUSE, "session", rows, lost, told, mend)
