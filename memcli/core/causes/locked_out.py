"""The chat is whole, and its agent does not get at it: a lock that is held on and on, or a start that it refuses."""

from __future__ import annotations

import time
from collections.abc import Iterator

from memcli.core import locking
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.core.locking import Row
from memcli.formats import effects, habits
from memcli.model import Verdict, Workspace

CAUSE = "locked-out"
PLACES = 3
"""So many places of the words are told."""
PAUSE = 1.0
"""Seconds after which a lock that is still held by the same process is held on and on: an agent holds it for a save."""


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Any chat of a workspace that the agent cannot open; one of a workspace with locks that nobody holds any more, where
    nothing else explains what is missed."""
    workspace = chat.workspace._replace(files=())
    if chat.ref is None:
        return
    refusals = case.kept((CAUSE, "refusals", workspace.root), lambda: habits(workspace.agent).refusals(workspace))
    for sentence in refusals:
        told = ("The agent does not start on this workspace. All of the chat is there.", sentence)
        show = command(chat.workspace, "sessions", "show", named(case, chat))
        yield Verdict(chat.key, CAUSE, "session", 0, 0, told, show)
    rows: list[Row] = case.kept((CAUSE, "locks", workspace.root), lambda: _stuck(workspace))
    for row in rows:
        if row.clear and not _is_missed(case, chat):
            continue
        effect = effects(workspace.agent).get("stale-lock", "")
        places = [f"Row {one.row} of {one.source.shown} has the words." for one in chat.rows("session") if one.row]
        waits = effect if row.clear else "Whatever needs it waits until that process ends."
        reasons = (row.message, waits, *dict.fromkeys(places[:PLACES]))
        words = ("locks", "clear" if row.clear else "ls")
        yield Verdict(chat.key, CAUSE, "session", 0, None if row.clear else 0, reasons, command(workspace, *words))


def _stuck(workspace: Workspace) -> list[Row]:
    """The agent's own locks that were left behind, and those that are held now and a moment later."""
    rows = [row for row in locking.locks(workspace) if row.agent == workspace.agent and row.kind in KINDS]
    held = {row.path: row for row in rows if row.state == "alive" and row.kind == "flock"}
    if held:
        time.sleep(PAUSE)
        again = {row.path: row for row in locking.locks(workspace) if row.state == "alive"}
        held = {path: row for path, row in held.items() if path in again and again[path].holder == row.holder}
    return [row for row in rows if row.clear or row.path in held]


def _is_missed(case: Case, chat: Chat) -> bool:
    """Whether what was asked for did not get further than the chat itself."""
    return not case.told(chat) and not any(trace.source.layer == "memory" for trace in case.traces)


KINDS = ("flock", "exclusive-file")
