"""What of a chat its agent shows to a person, and how a chat is named in a command."""

from __future__ import annotations

import os

from memcli.core import listing
from memcli.core.causes.framework import Case, Chat
from memcli.formats import habits, load
from memcli.model import FAILS, AgentView, SessionRef


def shown(case: Case, chat: Chat) -> int:
    """How many rows a person gets to see who opens the chat in the agent's list."""
    view = case.view(chat)
    if view is None or not is_listed(view) or not in_place(chat):
        return 0
    return view.seen if breaker(case, chat) is None else 0


def is_listed(view: AgentView) -> bool:
    """Whether the file itself lets the chat be found in the agent's list, under its key."""
    return view.listed and not view.list_fault


def in_place(chat: Chat) -> bool:
    """Whether the chat's file is the one that the agent opens for its key."""
    if chat.ref is None:
        return False
    moved = habits(chat.ref.agent).moved(chat.workspace, chat.key)
    if moved is not None:
        return chat.ref.path == moved.place
    expected = load(chat.ref.agent).layout.name_of(chat.key, chat.workspace.era)
    given = bool(chat.workspace.files)
    return given or expected is None or os.path.basename(chat.ref.path) == expected


def breaker(case: Case, chat: Chat) -> SessionRef | None:
    """Another session whose header makes the agent's whole list fail, and this chat's place in it with it."""
    workspace = chat.workspace
    form = load(workspace.agent)
    if chat.ref is None or not form.header_members or workspace.files:  # reading every header is for who needs it
        return None
    for row in case.listed(workspace):
        if not _SUSPECT & set(row.damage) or row.file == chat.ref.path:
            continue
        ref = listing.reference(row, [workspace])
        view = case.view(Chat(ref.key, workspace, ref))
        if view is not None and view.list_fault == FAILS:
            return ref
    return None


def named(case: Case, chat: Chat) -> str:
    """How the chat's file is named in a command: by its key, by its path where that means another one or none."""
    assert chat.ref is not None
    key, path = chat.key, chat.ref.path
    rows = case.listed(chat.workspace)
    unclear = not key or key[0] in "-@~/." or os.path.lexists(key) or not key.isprintable()
    return path if unclear or [row.file for row in rows if row.key == key] != [path] else key


_SUSPECT = {"header-incomplete", "missing-header"}
