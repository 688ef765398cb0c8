"""What copies of a chat could bring back: each merged into its file on paper, as `sessions merge` would do it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memcli.core import copies, merging
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named, shown
from memcli.core.merging import Merge
from memcli.core.sources.framework import Source, Trace
from memcli.core.sources.searched import MOST
from memcli.errors import MemcliError
from memcli.formats import load
from memcli.model import Record

TRIED = 12
"""So many copies of a chat are merged on paper, the newest of each layer first."""
LAYERS = ("temp", "conflict-copy", "undo", "archive", "elsewhere")
KINDS = ("rows", "packed", "session")


class Restored(NamedTuple):
    """What merging `source` into the chat brings: how many `rows` more the agent shows, how many of its lines are damaged and
    stay out, and the command. `both` tells that two versions of a row are kept."""

    source: Source
    rows: int
    damaged: int
    command: str
    both: bool = False


def best(case: Case, chat: Chat, *layers: str) -> Restored | None:
    """The copy that brings the most rows back, of these layers (none: of all); None where none brings any."""
    found = list(restored(case, chat, *layers))
    return max(found, key=lambda one: one.rows, default=None)


def restored(case: Case, chat: Chat, *layers: str) -> Iterator[Restored]:
    """The copies that would bring rows back; where words were asked for, those that have the words where the agent does
    not show them."""
    for source in candidates(case, chat, *layers)[:TRIED]:
        one = case.kept((chat.key, chat.workspace.root, source.path), partial(_merged, case, chat, source))
        if one is not None and one.rows > 0:
            yield one


def candidates(case: Case, chat: Chat, *layers: str) -> list[Source]:
    """The copies of a chat in these layers, in the order in which they are tried."""
    wanted = layers or LAYERS
    found = [
        source
        for source in case.sources
        if source.layer in wanted and source.key == chat.key and source.kind in KINDS and _is_near(chat, source)
    ]
    if case.question.text:
        having = {trace.source.path for trace in missing(case, chat)}
        found = [source for source in found if source.path in having]
    return sorted(found, key=lambda source: (wanted.index(source.layer), -changed(source.path), source.path))


def missing(case: Case, chat: Chat) -> list[Trace]:
    """The traces in other layers of what the agent does not show in the chat."""
    mine = chat.rows("session")
    if len(mine) >= MOST and shown(case, chat):
        return []
    seen = {_identity(trace.record) for trace in mine if trace.record} if shown(case, chat) else set()
    others = [trace for trace in chat.traces if trace.source.layer != "session"]
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


def _merged(case: Case, chat: Chat, source: Source) -> Restored | None:
    """What merging one copy would bring; where versions of a row stand against each other, with both kept."""
    place = chat.workspace.shown or chat.workspace.root
    goal = target(case, chat)
    words: Sequence[str] = ()
    try:
        pair = copies.target(goal, source.path, [place], chat.workspace.agent, case.scope.tz)
        with merging.plan(pair, "", case.scope.tz) as plan:
            rows, damaged, undecided = _gain(case, chat, plan), plan.counts.left_out, plan.undecided
        if undecided:
            words = ("--keep-both",)
            with merging.plan(pair, "both", case.scope.tz) as plan:
                rows, damaged = _gain(case, chat, plan), plan.counts.left_out
    except (MemcliError, OSError):
        return None
    again = command(chat.workspace, "sessions", "merge", goal, source.path, *words, "--apply")
    return Restored(source, rows, damaged, again, bool(words))


def _gain(case: Case, chat: Chat, plan: Merge) -> int:
    if not plan.result or plan.worse or plan.after is None:
        return 0
    return plan.after.seen - shown(case, chat)


def _is_near(chat: Chat, source: Source) -> bool:
    """Whether it is of the same workspace, or lies elsewhere altogether."""
    return source.layer == "elsewhere" or (source.workspace.agent, source.workspace.root) == (
        chat.workspace.agent,
        chat.workspace.root,
    )


def _identity(record: Record) -> tuple[str, str, str | None]:
    return record.role, record.text, record.timestamp
