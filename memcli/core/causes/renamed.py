"""A file that was renamed or copied by hand: the agent looks for the chat under another name and opens it empty."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import in_place, named, shown
from memcli.model import Verdict

CAUSE = "renamed"
REROUTE = {"reroute": ""}


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file repair can give the name that its key maps to."""
    view = case.view(chat)
    if chat.ref is None or view is None or in_place(chat):
        return
    path = chat.ref.path
    blueprint = case.blueprint(chat, flags=REROUTE)
    target = next(
        (action.detail for action in blueprint.actions if action.kind == "rename" and action.path == path), ""
    )
    after = blueprint.views.get(path, (view, view))[1] or view
    rows = after.seen - shown(case, chat)
    if not target or rows <= 0:
        return
    told = (
        f"The file is called {os.path.basename(path)}, and its header has the key {chat.key}.",
        f"The agent looks for that chat in {os.path.basename(target)}, which does not exist.",
    )
    lost = blueprint.counts[path].quarantined
    words = ("repair", named(case, chat), "--reroute", "--apply")
    yield Verdict(chat.key, CAUSE, "session", rows, lost, told, command(chat.workspace, *words))
