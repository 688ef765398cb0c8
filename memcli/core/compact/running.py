"""Compact: the rows of a session behind its last summary become one, which lands in its places or in the inbox.

Each row once: what the summary stands for is noted with it, in one operation, and only while the session is as it was read. A
model that fails changes nothing but the time of the next try.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memcli.core import asking, sealing, stores
from memcli.core.asking.summarising import Summary, summarise
from memcli.core.backoff import Backoff
from memcli.core.compact import gathering, plan, proposed, writing
from memcli.core.compact.gathering import Gathered
from memcli.core.compact.names import PROVIDER, is_busy, key_of, workspace_of
from memcli.core.compact.plan import Span
from memcli.core.compact.results import Compacted
from memcli.core.compact.standing import Standing, passed, rest, standing
from memcli.core.compact.wishes import DRY, PROPOSE, Wishes
from memcli.core.compact.writing import Maker
from memcli.core.dream.running import ELSEWHERE
from memcli.errors import CannotWrite, ConfigurationError, MemcliError, ProviderFailed, UsageError
from memcli.formats import compacting
from memcli.llm import Model, Reader
from memcli.model import SessionRef, Workspace
from memcli.storage import state as kept
from memcli.storage.locks import Lock, hold


@contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """Keep other runs of compact away from the workspace, so that no session is summarised twice at once. Raises RefusedForSafety
    when one is under way."""
    store = sealing.store(workspace)
    path = os.path.join(kept.place(store, "dreams"), "compact.lock")
    with hold([Lock("flock", path)], store=store, timeout=0.5):
        yield


def one(ref: SessionRef, wishes: Wishes, provider: Reader | Model, *, command: Sequence[str]) -> Compacted:
    """Compact one session that was named. Raises UsageError; whatever else is in the way is told in the result."""
    facet = compacting(ref.agent)
    workspace = workspace_of(ref)
    unread = facet.refusal(workspace, ref.path)
    if unread:
        raise UsageError(f"{ref.shown} is not compacted: {unread}. Nothing was changed.")
    if wishes.mode == DRY:
        return _told(ref, wishes, provider, command)
    try:
        stores.finish([workspace])
        with alone(workspace):
            return _told(ref, wishes, provider, command)
    except MemcliError as error:
        return _error(Compacted(ref, "error", provider.name, provider.model), error)


def several(
    refs: Sequence[SessionRef], wishes: Wishes, provider: Reader | Model, *, command: Sequence[str]
) -> Iterator[Compacted]:
    """Compact one session after the other; the caller keeps other runs away. What is in the way of one stops no other."""
    for ref in refs:
        done = _told(ref, wishes, provider, command)
        yield done
        if done.everywhere:
            return


def _told(ref: SessionRef, wishes: Wishes, provider: Reader | Model, command: Sequence[str]) -> Compacted:
    start = Compacted(ref, "error", provider.name, provider.model)
    try:
        return _compact(start, wishes, provider, command)
    except MemcliError as error:
        if isinstance(error, ConfigurationError):
            raise
        if wishes.mode != DRY and not is_busy(error):
            own = not isinstance(error, CannotWrite)  # a full disk, a folder that is read-only for a while
            Backoff.read(sealing.store(ref.workspace)).failed(key_of(ref.key), time.time(), own=own)
        return _error(start, error)


def _error(start: Compacted, error: MemcliError) -> Compacted:
    return start._replace(outcome="error", why=error.sentence, code=error.exit_code, busy=is_busy(error))


def _compact(start: Compacted, wishes: Wishes, provider: Reader | Model, command: Sequence[str]) -> Compacted:
    ref = start.ref
    backoff = Backoff.read(sealing.store(ref.workspace))
    span = plan.read(ref, counting=wishes.budget is not None)
    found = standing(span, wishes)
    if found.reason:
        rest(span, found.cut, wishes)
        return start._replace(outcome="nothing", stay=span.rows, why=found.why)
    limits = asking.Limits(tokens=wishes.tokens, seconds=wishes.seconds)
    seconds = time.time()
    try:
        summary = summarise(provider, found.said, limits)
        cut = _read_to(span, found, summary)
        if cut <= span.summarised:
            raise ProviderFailed(f"The model read no whole turn of {ref.shown}; nothing was changed.")
    except ProviderFailed as error:
        elsewhere = error.facts.get("why") in ELSEWHERE
        if wishes.mode != DRY:
            backoff.failed(PROVIDER if elsewhere else key_of(ref.key), seconds)
        return start._replace(outcome="failed", why=error.sentence, code=error.exit_code, everywhere=elsewhere)
    last = span.archived + cut
    gathered = gathering.gather([point for point in summary.points if not point.rows or min(point.rows) <= last])
    done = start._replace(
        first=span.archived + span.summarised + 1,
        last=last,
        stay=span.rows - cut,
        removed=cut if compacting(ref.agent).REMOVES else 0,
        points=gathered.points,
        summary=summary,
        notes=summary.notes,
    )
    if not gathered.points:
        passed(span, cut, wishes)
        return done._replace(outcome="nothing", stay=span.rows, why="nothing in it is worth keeping")
    maker = Maker(provider.name, provider.model, summary.prompt, seconds)
    done = _carried_out(done, span, cut, gathered, maker, wishes, command)
    if wishes.mode != DRY:
        backoff.succeeded(key_of(ref.key))
        backoff.succeeded(PROVIDER)
    return done


def _carried_out(
    done: Compacted,
    span: Span,
    cut: int,
    gathered: Gathered,
    maker: Maker,
    wishes: Wishes,
    command: Sequence[str],
) -> Compacted:
    if wishes.mode == DRY:
        return done._replace(outcome="planned", landing=writing.plan(span, gathered, maker.seconds))
    if wishes.mode == PROPOSE:
        return done._replace(
            outcome="proposed",
            landing=writing.plan(span, gathered, maker.seconds),
            proposal=proposed.put(span, cut, gathered, maker, command=command),
        )
    written = writing.land(span, cut, gathered, maker, wishes, command=command)
    notes = done.notes
    if written.left:
        lines = "line" if written.left == 1 else "lines"
        notes = (*notes, f"{written.left:,} older {lines} had no room in the summary of {done.ref.shown} any more.")
    return done._replace(outcome="compacted", landing=written.landed.landing, landed=written.landed, notes=notes)


def _read_to(span: Span, found: Standing, summary: Summary) -> int:
    """Where the rows end that the summary stands for: whole turns that were read to their end."""
    if summary.through >= found.said[-1][0]:
        return found.cut
    through = summary.through - span.archived
    starts = [turn.first for turn in span.turns if span.summarised < turn.first <= min(found.cut, through)]
    return max(starts, default=span.summarised)
