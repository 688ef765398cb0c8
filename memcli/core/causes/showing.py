"""What of a chat its agent shows to a person, and how a chat is named in a command."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.causes.framework import Case, Chat
from memcli.core.causes.peeking import first_line
from memcli.formats import habits, load
from memcli.model import FAILS, AgentView, SessionRef, Workspace


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

    def find() -> list[SessionRef]:
        return list(_breakers(case, workspace))

    own = chat.ref.path
    return next((ref for ref in case.kept((BREAKERS, workspace.agent, workspace.root), find) if ref.path != own), None)


def heads(case: Case, workspace: Workspace) -> dict[str, bytes]:
    """The beginning of the first line of every session file of a workspace, read once."""

    def read() -> dict[str, bytes]:
        return {path: first_line(path, HEAD) for path in listing.paths(workspace)}

    found: dict[str, bytes] = case.kept(("heads", workspace.agent, workspace.root, *workspace.files), read)
    return found


def named(case: Case, chat: Chat) -> str:
    """How the chat's file is named in a command: by its key, by its path where that means another one or none."""
    assert chat.ref is not None
    key, path = chat.key, chat.ref.path
    if not key or key[0] in "-@~/." or os.path.lexists(key) or not key.isprintable():
        return path
    form = load(chat.workspace.agent)
    known = [json_text(key), key.encode("utf-8", "surrogateescape")]
    for other, head in heads(case, chat.workspace).items():
        near = form.layout.key_of(chat.workspace, other) == key or any(text in head for text in known)
        if other != path and near and listing.peek(form, chat.workspace, other).key == key:
            return path
    return key


def json_text(text: str) -> bytes:
    """A text as JSON has it when it is kept to ASCII, without its quotes."""
    return json.dumps(text)[1:-1].encode()


def _breakers(case: Case, workspace: Workspace) -> Iterator[SessionRef]:
    """The sessions whose header the agent's list fails at."""
    form = load(workspace.agent)
    for path, head in heads(case, workspace).items():
        if all(_is_text(member, head) for member in form.header_members):
            continue
        row = listing.peek(form, workspace, path, case.scope.tz)
        ref = SessionRef(form.name, row.key, path, row.path, workspace)
        view = case.view(Chat(ref.key, workspace, ref))
        if view is not None and view.list_fault == FAILS:
            yield ref


def _is_text(member: str, head: bytes) -> bool:
    """Whether a header seems to have a text for a member."""
    start = head.find(f'"{member}"'.encode())
    return start >= 0 and head[start + len(member) + 2 :].lstrip(b" :").startswith(b'"')


HEAD = 4096
BREAKERS = "breakers"
