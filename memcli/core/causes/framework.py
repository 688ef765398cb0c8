"""The case that `doctor` is asked to solve: the question, what was found in every layer, and the facts about a chat.

A module of this package is one way to lose a chat. It has CAUSE (the contract's word) and `evidence(case, chat)`, which
yields a Verdict for a chat that was lost this way, and nothing where its signature is not there. The likelier causes are asked
first; `case.told(chat)` has what they said, so that a cause can leave out what follows from another. Everything that causes ask
is computed once and kept.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from memcli.core import listing
from memcli.core.blueprint import Blueprint
from memcli.core.causes.files import Files
from memcli.core.examining import Target
from memcli.core.listing import SessionRow
from memcli.core.sources import layers
from memcli.core.sources.framework import Layer, Question, Scope, Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.core.wishes import Wishes
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import NOTHING, AgentView, Finding, Hidden, Sent, SessionRef, Verdict, Workspace

COPY = "mended.jsonl"
"""What a mended copy is called where no key tells."""


class Chat(NamedTuple):
    """One session that is in question. `ref` is its file, None where there is none (any more). `traces` are the places
    where the words stand that belong to it; none where the session itself was asked for. The chat without a key stands
    for what belongs to no session, and for a question that nothing was found for."""

    key: str
    workspace: Workspace
    ref: SessionRef | None
    traces: tuple[Trace, ...] = ()

    def rows(self, layer: str) -> list[Trace]:
        """Its traces in one layer."""
        return [trace for trace in self.traces if trace.source.layer == layer]


class Gain(NamedTuple):
    """What a repair would bring: what the agent loads before and after, rows that go to quarantine, and what of it would
    reach the model, None where that is all that is loaded."""

    before: AgentView
    after: AgentView
    quarantined: int
    sent: tuple[Sent, Sent] | None = None

    @property
    def rows(self) -> int:
        """How many rows more the agent would see."""
        return self.after.seen - self.before.seen

    @property
    def reaching(self) -> int:
        """How many rows more would reach the model."""
        return self.sent[1].rows - self.sent[0].rows if self.sent else self.rows


class Cause(Protocol):
    """A module of this package."""

    CAUSE: str

    def evidence(self, case: Case, chat: Chat) -> Iterator[Verdict]:
        """The verdicts on a chat that was lost this way; none for one that was not."""
        ...


class Case:
    """One question and everything that is known about it. `most` is how many sessions words are followed into (None: all)."""

    def __init__(self, scope: Scope, question: Question, most: int | None = None) -> None:
        self.scope, self.question, self.most = scope, question, most
        self.more = 0
        self._files: dict[tuple[str, str], Files] = {}
        self._unchecked: dict[str, None] = {}
        self._blueprints: dict[tuple[str, bool, tuple[tuple[str, str], ...]], Blueprint] = {}
        self._views: dict[str, AgentView | None] = {}
        self._sent: dict[str, Sent | None] = {}
        self._told: dict[tuple[str, str, str], list[Verdict]] = {}
        self._listed: dict[str, list[SessionRow]] = {}
        self._kept: dict[tuple[str, ...], Any] = {}

    def asked(self, question: Question, most: int | None = None) -> Case:
        """Another question about the same workspaces, with the files and sources that are known by now."""
        other = Case(self.scope, question, most)
        other._files, other._listed, other._unchecked = self._files, self._listed, self._unchecked
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name == "_layers"})
        return other

    def kept(self, name: tuple[str, ...], find: Callable[[], Any]) -> Any:
        """What a cause found out once, by a name that no other cause uses."""
        if name not in self._kept:
            self._kept[name] = find()
        return self._kept[name]

    def listed(self, workspace: Workspace) -> list[SessionRow]:
        """The session files of a workspace as they are listed, newest first."""
        if workspace.root not in self._listed:
            self._listed[workspace.root] = listing.sessions([workspace], self.scope.tz)
        return self._listed[workspace.root]

    def told(self, chat: Chat) -> list[Verdict]:
        """What likelier causes said of a chat."""
        return self._told.setdefault((chat.workspace.agent, chat.workspace.root, chat.key), [])

    @cached_property
    def sources(self) -> list[Source]:
        """Every file of rows of every layer."""
        return [source for _, sources in self._layers for source in sources]

    @cached_property
    def traces(self) -> list[Trace]:
        """Every place where the words stand; of a session that was asked for, those that are about it without being rows
        of it."""
        found: list[Trace] = []
        for layer, sources in self._layers:
            for item in layer.traces(self.scope, sources, self.question):
                if isinstance(item, Unchecked):
                    self._unchecked[item.sentence] = None
                else:
                    found.append(item)
        return found

    @property
    def unchecked(self) -> tuple[str, ...]:
        """What could not be looked at, as far as has been looked: sentences without their full stop."""
        return tuple(self._unchecked)

    @cached_property
    def chats(self) -> list[Chat]:
        """The sessions in question: the named one, or those that the words were found in, most places first. Never empty:
        where nothing was found, each workspace has its chat without a key."""
        key = self.question.key
        if key:
            about = tuple(trace for trace in self.traces if trace.source.key == key)
            return [self._chat(workspace, key, about) for workspace in self._having(key)]
        found: dict[tuple[str, str, str], list[Trace]] = {}
        for trace in self.traces:
            source = trace.source
            found.setdefault((source.workspace.agent, source.workspace.root, source.key), []).append(trace)
        grouped = sorted(found.values(), key=lambda traces: (not traces[0].source.key, -len(traces)))
        keyed = sum(bool(traces[0].source.key) for traces in grouped)
        if self.most is not None and keyed > self.most:
            self.more = keyed - self.most
            grouped[self.most : keyed] = []
        chats = [self._chat(traces[0].source.workspace, traces[0].source.key, tuple(traces)) for traces in grouped]
        return chats or [self._chat(workspace, "") for workspace in self.scope.workspaces]

    def of(self, chat: Chat, layer: str) -> list[Source]:
        """The files of a layer that hold rows of a chat."""
        return [
            source
            for source in self.sources
            if source.layer == layer and source.key == chat.key and source.workspace.root == chat.workspace.root
        ]

    def view(self, chat: Chat) -> AgentView | None:
        """What the agent itself makes of the chat's file; None where there is none that can be read."""
        from memcli.core.viewing import view

        if chat.ref is None:
            return None
        path = chat.ref.path
        if path not in self._views:
            try:
                self._views[path] = view(self._target(chat.ref), path)
            except (CannotRead, OSError):
                self._views[path] = None
        return self._views[path]

    def sent(self, chat: Chat) -> Sent | None:
        """What of the chat's file reaches the model; None where the agent sends all that it loads, or loads nothing."""
        from memcli.core.viewing import sent

        if chat.ref is None or self.view(chat) is None:
            return None
        path = chat.ref.path
        if path not in self._sent:
            self._sent[path] = sent(self._target(chat.ref), path)
        return self._sent[path]

    def hidden(self, chat: Chat) -> list[Hidden]:
        """The rows in question that the agent loads and keeps from the model: those with the words, where they stand in no
        row that reaches it; of a session that was asked for, all."""
        found = self.sent(chat)
        if found is None:
            return []
        rows = [trace.row for trace in chat.rows("session") if trace.row]
        if len(rows) >= MOST:  # not all of them are known
            return []
        spans = [found.at(row) for row in rows] if self.question.text else list(found.hidden)
        kept = [span for span in spans if span]
        return list(dict.fromkeys(kept)) if len(kept) == len(spans) else []

    def findings(self, chat: Chat) -> list[Finding]:
        """What is wrong with the chat's file by itself, as `verify` tells it."""
        return [item.finding for item in self.blueprint(chat).items] if chat.ref else []

    def gain(self, chat: Chat, *, lossy: bool = False, flags: Mapping[str, str] = NOTHING) -> Gain | None:
        """What `repair` of just this session would bring with these options; None where it would change nothing."""
        from memcli.core.viewing import sent

        if chat.ref is None:
            return None
        blueprint = self.blueprint(chat, lossy=lossy, flags=flags)
        views = blueprint.views.get(chat.ref.path)
        if views is None or views[1] is None:
            return None
        source = blueprint.drafts[chat.ref.path].source
        before, after = self.sent(chat), sent(self._target(chat.ref), source)
        reaching = (before, after) if before and after else None
        return Gain(views[0], views[1], blueprint.counts[chat.ref.path].quarantined, reaching)

    def blueprint(self, chat: Chat, *, lossy: bool = False, flags: Mapping[str, str] = NOTHING) -> Blueprint:
        """The plan of `repair` for just this session. The chat has a file."""
        from memcli.core.planning import plan

        assert chat.ref is not None
        wanted = (chat.ref.path, lossy, tuple(sorted(flags.items())))
        if wanted not in self._blueprints:
            wishes = Wishes(lossy=lossy, flags=flags)
            self._blueprints[wanted] = plan(chat.workspace, wishes, only=[chat.ref], tz=self.scope.tz)
        return self._blueprints[wanted]

    def _target(self, ref: SessionRef) -> Target:
        return Target(ref.path, ref.shown, "session", ref.workspace)

    @cached_property
    def _layers(self) -> list[tuple[Layer, list[Source]]]:
        found = []
        for layer in layers():
            sources = []
            for item in layer.sources(self.scope):
                if isinstance(item, Unchecked):
                    self._unchecked[item.sentence] = None
                else:
                    sources.append(item)
            found.append((layer, sources))
        return found

    def file(self, workspace: Workspace, key: str, headers: bool = True) -> SessionRef | None:
        """The file of a session in its workspace, None where it has none (any more). Without `headers` only files count
        whose name tells the key."""
        place = (workspace.agent, workspace.root)
        if place not in self._files:
            named = self._at(*place)
            self._files[place] = Files(named[0] if named else workspace._replace(files=()))
        return self._files[place].find(key, headers) if key else None

    def _chat(self, workspace: Workspace, key: str, traces: tuple[Trace, ...] = ()) -> Chat:
        ref = self.file(workspace, key)
        return Chat(key, ref.workspace if ref else workspace._replace(files=()), ref, traces)

    def _having(self, key: str) -> list[Workspace]:
        """The workspaces that know of a session, else all."""
        known = [workspace for workspace in self.scope.workspaces if self.file(workspace, key)]
        known = known or [workspace for s in self.sources if s.key == key for workspace in self._at(*s.workspace[:2])]
        return list(dict.fromkeys(known or self.scope.workspaces))

    def _at(self, agent: str, root: str) -> list[Workspace]:
        return [one for one in self.scope.workspaces if (one.agent, one.root) == (agent, root)]


def command(workspace: Workspace, *words: str) -> str:
    """A memcli command as the user can paste it, with the workspace that it is about.

    Nothing is written into an archive: there, repair makes a mended copy in the current folder.
    """
    place = workspace.shown or workspace.root
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)  # a folder in an archive is named by the archive
    if words[0] == "repair" and os.path.isfile(place) and place not in workspace.files:
        told = None if os.path.isabs(words[1]) else load(workspace.agent).layout.name_of(words[1], workspace.era)
        words = (*(word for word in words if word not in ("--apply", "--reroute")), "--to", told or COPY)
    return shlex.join(["memcli", *words, "-W", place])
