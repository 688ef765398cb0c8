"""The queue of a workspace: every session with its numbers, those that are compacted now first, and why the others are not."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from memcli.core import counts, guarding, inbox, queue, row_marks, sealing, states
from memcli.core.backoff import Backoff
from memcli.core.compact import marks, plan
from memcli.core.compact.marks import Mark
from memcli.core.compact.names import PROVIDER, key_of, path_of
from memcli.core.compact.results import Line
from memcli.core.compact.standing import rest, standing
from memcli.core.compact.wishes import Wishes
from memcli.core.counts import Count
from memcli.core.queue import Candidate
from memcli.errors import CannotRead, MemcliError, RefusedForSafety
from memcli.formats import compacting, dreaming
from memcli.model import Workspace
from memcli.storage import row_archive
from memcli.storage.reading import open_regular
from memcli.storage.state import Store


def line(workspace: Workspace, wishes: Wishes, now: float | None = None) -> Line:
    """The queue. With a mode that writes, what has nothing to be done is noted. Raises UsageError where the format reads no
    summaries, ConfigurationError."""
    moment = time.time() if now is None else now
    found = queue.queue(
        _candidates(workspace, moment),
        moment,
        states.limits(),
        keep=wishes.keep,
        most=wishes.sessions,
        busy=lambda one: _busy(workspace, one, wishes),
        look=lambda one: _look(workspace, one, wishes),
    )
    return Line(workspace, tuple(found))


def _candidates(workspace: Workspace, now: float) -> Iterator[Candidate]:
    facet, dream = compacting(workspace.agent), dreaming(workspace.agent)
    store = sealing.store(workspace)
    backoff, known = Backoff.read(store), marks.read(store)
    archived = {one.folder: one.rows for one in row_archive.every(store)}
    waiting = {path_of(one): one.id for one in inbox.read(store).proposals if one.open}
    all_wait = backoff.waits(PROVIDER, now)
    folders: dict[str, str] = {}
    for one in counts.counts(workspace, now):
        key = key_of(one.key)
        inside = _inside(store, one.path, folders) if known or waiting else ""
        mark = known.get(inside)
        done = mark is not None and mark.at_rest(one.size, one.time)
        yield Candidate(
            one,
            None if mark is None else mark.row if done else _summarised(workspace, one, mark),
            archived.get(row_archive.folder_of(store, one.path), 0) if archived else 0,
            max(all_wait, backoff.waits(key, now)),
            backoff.set_aside(key),
            dream.inner(one.key),
            done,
            facet.refusal(workspace, one.path),
            waiting.get(inside, "") if inside else "",
        )


def _inside(store: Store, path: str, folders: dict[str, str]) -> str:
    """As marks.path_in, with each folder looked up once."""
    folder, name = os.path.split(path)
    if folder not in folders:
        folders[folder] = os.path.relpath(os.path.realpath(folder), store.root)
    return os.path.normpath(os.path.join(folders[folder], name))


def _summarised(workspace: Workspace, one: Count, mark: Mark) -> int | None:
    """For how many rows of a session that went on a summary stands. While its first row is the same, none of them went."""
    try:
        fd = open_regular(one.path)
    except CannotRead:
        return None
    try:
        header, first = states.beginning(fd, workspace.agent, workspace.era)
    except OSError:
        return None
    finally:
        os.close(fd)
    if first is not None and row_marks.digest(first, b"") == mark.first:
        told = compacting(workspace.agent).summarised(header, max(0, one.rows), first, workspace.era)
        return max(told, mark.row)
    try:
        return plan.read(counts.reference(one, workspace)).summarised
    except MemcliError:
        return None


def _busy(workspace: Workspace, one: Count, wishes: Wishes) -> str:
    try:
        found = guarding.refusal(workspace, [one.path], wishes.idle, wishes.force_live)
    except RefusedForSafety as error:
        found = [error.sentence]
    return found[0].rstrip(".") if found else ""


def _look(workspace: Workspace, one: Count, wishes: Wishes) -> tuple[str, str]:
    """Why nothing can be done of a session; what is wrong with it is told when it is compacted."""
    try:
        span = plan.read(counts.reference(one, workspace))
        found = standing(span, wishes)
        if found.reason:
            rest(span, found.cut, wishes)
    except MemcliError:
        return queue.CHOSEN, ""
    return found.reason, found.why
