"""Chats that are whole in a workspace where nobody looks, and what brings them to one where the agent does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memcli.core import discovering, listing
from memcli.core.causes import restoring
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.sources.framework import Source
from memcli.formats import load, whereabouts
from memcli.model import Verdict, Workspace


class Found(NamedTuple):
    """A session file: its path, and the root of its workspace."""

    path: str
    root: str
    workspace: Workspace


def here(chat: Chat) -> Found | None:
    """The chat's own file."""
    return Found(chat.ref.path, chat.workspace.root, chat.workspace) if chat.ref else None


def found(case: Case, chat: Chat, layer: str) -> Found | None:
    """The file of the chat in a layer of other workspaces: the one that has the words, or the one with the key that was asked
    for, which is here no more. None where the words stand in a session here."""
    if case.question.text:
        if any(trace.source.layer == "session" for trace in case.traces):
            return None
        sources = [trace.source for trace in chat.rows(layer)]
    elif chat.ref is not None:
        return None
    else:
        sources = [source for source in case.sources if source.layer == layer and _is_of(chat, source)]
    return next((Found(one.path, one.workspace.root, one.workspace) for one in sources), None)


def verdicts(case: Case, chat: Chat, cause: str, place: Found, *told: str) -> Iterator[Verdict]:
    """The verdict: merged into a workspace that the agent opens, if that has no chat with the key; else only shown."""
    goal = _goal(case, place)
    taken = goal is not None and case.file(goal, chat.key) is not None
    made = restoring.into(goal, chat.key, place.path, 0, case.scope.tz) if goal is not None and not taken else None
    if goal is not None and made is not None and made.rows > 0:
        where = f"The command copies the chat to {goal.root}; {place.path} stays as it is."
        yield Verdict(chat.key, cause, cause, made.rows, made.damaged, (*told, where), made.command)
        return
    why = (
        [f"{goal.root} has another chat with this key; nothing is put together."] if goal is not None and taken else []
    )
    show = command(place.workspace._replace(files=()), "sessions", "show", place.path)
    yield Verdict(chat.key, cause, cause, 0, 0, (*told, *why), show)


def _goal(case: Case, place: Found) -> Workspace | None:
    """The workspace to bring the chat to: the one that was looked in, if the agent opens it, else the agent's first."""
    for one in (*case.scope.workspaces, *discovering.at_home()):
        other = one.agent == place.workspace.agent and os.path.realpath(one.root) != os.path.realpath(place.root)
        if other and one.sessions and not one.files and not whereabouts(one.agent).standing(one):
            return one
    return None


def _is_of(chat: Chat, source: Source) -> bool:
    """Whether a file of another workspace is one of the chat's key."""
    if source.kind != "session" or source.workspace.agent != chat.workspace.agent:
        return False
    form = load(source.workspace.agent)
    name = form.layout.name_of(chat.key, source.workspace.era)
    if name is None:
        return source.key == chat.key
    return os.path.basename(source.path) == name and listing.header_key(form, source.path) in (None, chat.key)
