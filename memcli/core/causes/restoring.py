"""What copies of a chat could bring back: each merged into its file on paper, as `sessions merge` would do it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named, shown
from memcli.core.sources.framework import Source, Trace
from memcli.core.sources.searched import MOST
from memcli.errors import MemcliError
from memcli.formats import load
from memcli.model import Record, Workspace

if TYPE_CHECKING:
    from memcli.core.merging import Merge

TRIED = 12
"""So many copies of a chat are merged on paper, the newest of each layer first."""
LAYERS = ("temp", "conflict-copy", "undo", "archive")
"""Copies of the chat's own file."""
KINDS = ("rows", "packed")


BOTH, COPY = ("--keep-both",), ("--prefer", "b")
"""What becomes of two versions of one row: both stay, or that of the copy takes the place of the other."""


class Merging(NamedTuple):
    """What a merge brings: how many `rows` more the agent shows, how many lines of the copy are `damaged` and stay out, and
    the command. `differ` counts rows of which there are two versions."""

    rows: int
    damaged: int
    command: str
    differ: int


class Restored(NamedTuple):
    """What merging `source` into the chat brings: how many `rows` more the agent shows, how many of its lines are damaged and
    stay out, and the command. `differ` counts rows of which there are two versions."""

    source: Source
    rows: int
    damaged: int
    command: str
    differ: int = 0


def best(case: Case, chat: Chat, *layers: str, versions: Sequence[str] = BOTH) -> Restored | None:
    """The copy that brings the most rows back, of these layers (none: of all); None where none brings any. `versions` are the
    options of merge that say what becomes of two versions of one row."""
    found = list(restored(case, chat, *layers, versions=versions))
    return max(found, key=lambda one: one.rows, default=None)


def restored(case: Case, chat: Chat, *layers: str, versions: Sequence[str] = BOTH) -> Iterator[Restored]:
    """The copies that would bring rows back; where words were asked for, those that have the words where the agent does
    not show them."""
    for source in candidates(case, chat, *layers)[:TRIED]:
        name = (chat.key, chat.workspace.root, source.path, *versions)
        one = case.kept(name, partial(_merged, case, chat, source, versions))
        if one is not None and one.rows > 0:
            yield one


def is_told(case: Case, chat: Chat) -> bool:
    """Whether a likelier cause told of the chat's rows, and not only of what became of them."""
    return any(verdict.layer != "journal" for verdict in case.told(chat))


def candidates(case: Case, chat: Chat, *layers: str) -> list[Source]:
    """The copies of a chat in these layers, in the order in which they are tried."""
    wanted = layers or LAYERS
    found = [
        source
        for source in case.sources
        if source.layer in wanted and source.key == chat.key and source.kind in KINDS and _is_of(chat, source)
    ]
    if found and case.question.text:
        having = {trace.source.path for trace in missing(case, chat)}
        found = [source for source in found if source.path in having]
    return sorted(found, key=lambda source: (wanted.index(source.layer), -changed(source.path), source.path))


def missing(case: Case, chat: Chat) -> list[Trace]:
    """The traces in other layers of what the agent shows neither in the chat nor in another one."""
    others = [trace for trace in chat.traces if trace.source.layer != "session"]
    mine = chat.rows("session")
    if not others or (len(mine) >= MOST and shown(case, chat)):
        return []
    elsewhere = [trace for trace in case.traces if trace.source.layer == "session" and trace.source.key != chat.key]
    seen = {_identity(trace.record) for trace in [*elsewhere, *(mine if shown(case, chat) else [])] if trace.record}
    return [trace for trace in others if trace.record is None or _identity(trace.record) not in seen]


def target(case: Case, chat: Chat) -> str:
    """How the chat is named where rows are to go to: by its key, or by its path where no key leads to a file."""
    if chat.ref is not None:
        return named(case, chat)
    if load(chat.workspace.agent).layout.name_of(chat.key, chat.workspace.era) is not None:
        return chat.key
    origins = [
        source.detail.get("original") or source.detail.get("path") for source in case.sources if source.key == chat.key
    ]
    return next((str(origin) for origin in origins if origin), chat.key)


def changed(path: str) -> float:
    """When a file was changed last, in seconds since the epoch; 0 where that cannot be told."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def into(
    workspace: Workspace, goal: str, path: str, before: int, tz: str = "", versions: Sequence[str] = BOTH
) -> Merging | None:
    """What it brings to merge the file at `path` into the chat that `goal` names, of which the agent shows `before` rows.
    None where it cannot be done."""
    from memcli.core import copies, merging

    words: Sequence[str] = ()
    try:
        pair = copies.target(goal, path, [workspace.shown or workspace.root], workspace.agent, tz)
        with merging.plan(pair, "", tz) as plan:
            rows, counts, undecided = _gain(plan, before), plan.counts, plan.undecided
        if undecided:
            words = versions
            with merging.plan(pair, "both" if versions == BOTH else versions[-1], tz) as plan:
                rows, counts = _gain(plan, before), plan.counts
    except (MemcliError, OSError):
        return None
    again = command(workspace, "sessions", "merge", goal, path, *words, "--apply")
    return Merging(rows, counts.left_out, again, counts.conflicts)


def _merged(case: Case, chat: Chat, source: Source, versions: Sequence[str]) -> Restored | None:
    """What merging one copy would bring."""
    found = into(chat.workspace, target(case, chat), source.path, shown(case, chat), case.scope.tz, versions)
    return Restored(source, *found) if found else None


def _gain(plan: Merge, before: int) -> int:
    return 0 if not plan.result or plan.worse or plan.after is None else plan.after.seen - before


def _is_of(chat: Chat, source: Source) -> bool:
    return (source.workspace.agent, source.workspace.root) == (chat.workspace.agent, chat.workspace.root)


def _identity(record: Record) -> tuple[str, str, str | None]:
    return record.role, record.text, record.timestamp
