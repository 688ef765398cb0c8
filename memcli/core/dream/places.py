"""Which places a run of dream reads: the sessions of a workspace, or its journals; for nobody in particular, or for users."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import journals
from memcli.core.dream.wishes import JOURNAL, SESSIONS
from memcli.core.journals import Journal
from memcli.core.naming import shown
from memcli.errors import UsageError
from memcli.formats import dreaming, load
from memcli.model import Workspace


class Place(NamedTuple):
    """One place that is read: a journal, or (None) the sessions of the workspace. `user` is the folder name of the user whose
    memory is written, "" for the agent's own."""

    workspace: Workspace
    journal: Journal | None
    user: str = ""

    @property
    def source(self) -> str:
        """What kind of place it is."""
        return JOURNAL if self.journal else SESSIONS

    @property
    def name(self) -> str:
        """How it is called among the places of its workspace; also in marks and backoff."""
        if self.journal is None:
            return SESSIONS
        return self.journal.name

    @property
    def key(self) -> str:
        """What its failures are counted under."""
        return f"dream:{self.name}"

    @property
    def beside(self) -> str:
        """The folder of the agent whose memory is written, where a workspace has several."""
        return os.path.dirname(self.journal.file.path) if self.journal else ""

    @property
    def shown(self) -> str:
        """How it is called in output."""
        return self.journal.shown if self.journal else f"the sessions of {shown(self.workspace, self.workspace.root)}"


def places(
    workspaces: Sequence[Workspace],
    source: str,
    *,
    user: str | None = None,
    all_users: bool = False,
    name: str | None = None,
    patient: bool = False,
) -> list[Place]:
    """The places that are meant. `source` "" is what suits each format; `user` an id or the name of its folder. Raises UsageError
    where there is none; with `patient` not because no user has come yet."""
    if user is not None and all_users:
        raise UsageError("--user and --all-users exclude each other.")
    by_user = user is not None or all_users
    if source == SESSIONS and (by_user or name is not None):
        raise UsageError("Users and named journals are read from journals; leave --from sessions out.")
    found: list[Place] = []
    for workspace in workspaces:
        if load(workspace.agent).memory is None or workspace.files:
            continue
        wanted = source or (JOURNAL if by_user or name is not None else dreaming(workspace.agent).SOURCE)
        kept = _journals(workspace)
        if wanted == JOURNAL and kept:
            found += [Place(workspace, one, one.file.user) for one in kept]
        elif wanted == SESSIONS or not source:
            found += [Place(workspace, None)]
    if not found:
        raise UsageError(_none(workspaces, source))
    if not by_user and name is None:
        return [place for place in found if not place.user]
    if all_users:
        users = [place for place in found if place.user]
        if not users and not patient:
            raise UsageError("No journal of a user is here, so that nobody's memory is to be dreamt.")
        return users
    chosen = set(journals.find(list(dict.fromkeys(one.workspace for one in found)), user=user, name=name))
    return [place for place in found if place.journal in chosen]


def _journals(workspace: Workspace) -> list[Journal]:
    if load(workspace.agent).journal is None:
        return []
    return [one for one in journals.every(workspace) if one.there or not one.file.user]


def _none(workspaces: Sequence[Workspace], source: str) -> str:
    shown = ", ".join(dict.fromkeys(one.shown or one.root for one in workspaces[:8]))
    if source == JOURNAL and any(load(one.agent).memory for one in workspaces):
        return f"There is no journal in {shown}; 'memcli dream --from sessions' reads the chats."
    return f"No agent keeps a long-term memory in {shown}, so that there is nothing to write a dream into."
