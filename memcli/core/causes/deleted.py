"""The chat has no file any more, and copies of it are left."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import sealing
from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.renamed import is_copy, renaming
from memcli.core.causes.restoring import Restored
from memcli.model import Verdict
from memcli.storage import tombstones

CAUSE = "deleted"
REMOVED = "remove"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session without a file: the copy with the most rows brings it back, or undo where memcli itself removed it."""
    if chat.ref is not None and is_copy(case, chat):
        moved = renaming(case, chat)
        if moved is not None:
            told = [f"{os.path.basename(moved.target)} is gone, and {chat.ref.shown} is a copy of it."]
            yield Verdict(chat.key, CAUSE, "conflict-copy", moved.rows, None, tuple(told), moved.command)
    if chat.ref is not None or not chat.key or case.told(chat):
        return
    found = restoring.best(case, chat)
    told = ["It has no file in this workspace."]
    stone = next((one for one in tombstones.standing(sealing.store(chat.workspace)) if one.key == chat.key), None)
    if stone is not None:
        told.append(f"memcli removed it at {stone.deleted_at}, with {stone.rows} rows.")
    if found is None:
        if stone is not None:
            yield Verdict(chat.key, CAUSE, "none", 0, stone.rows, (*told, "Its undo copy is gone."))
        return
    told.append(f"{found.source.shown} has {found.rows} rows of it.")
    alone = _alone(case, found)
    again = command(chat.workspace, "undo", alone) if alone else found.command
    lost = found.damaged if alone else None
    yield Verdict(chat.key, CAUSE, found.source.layer, found.rows, lost, tuple(told), again)


def _alone(case: Case, found: Restored) -> str:
    """The operation that removed this chat and no other, "" where it was not removed so."""
    detail = found.source.detail
    operation = detail.get("operation", "")
    if found.source.layer != "undo" or detail.get("kind") != REMOVED:
        return ""
    others = {
        one.key for one in case.sources if one.layer == "undo" and one.detail.get("operation") == operation and one.key
    }
    return str(operation) if others == {found.source.key} else ""
