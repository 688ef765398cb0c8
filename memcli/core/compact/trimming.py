"""Old rows put away: whole turns that a summary stands for, out of the session and into memcli's archive, byte for byte."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from memcli.core import counts, guarding, row_marks, sealing, stores
from memcli.core.compact import marks, plan, writing
from memcli.core.compact.names import is_busy, workspace_of
from memcli.core.compact.plan import Span
from memcli.core.compact.results import Trimmed
from memcli.core.compact.running import alone
from memcli.core.compact.wishes import DRY, Wishes
from memcli.core.dream import session_feed
from memcli.core.landing import Landed, Landing, carry_out
from memcli.errors import MemcliError, RefusedForSafety, UsageError
from memcli.formats import compacting
from memcli.model import SessionRef, Workspace
from memcli.storage import row_archive
from memcli.storage.operation import Operation
from memcli.storage.row_archive import Removed
from memcli.times import iso

WHAT = "compact trim"


def one(ref: SessionRef, most: int, wishes: Wishes, *, command: Sequence[str]) -> Trimmed:
    """Put away what is beyond the newest `most` rows of a session. Raises UsageError where the format does that by itself."""
    if compacting(ref.agent).REMOVES:
        raise UsageError(f"{ref.agent} has rows put away when they are summarised; there is nothing to trim.")
    if wishes.mode == DRY:
        return _trimmed(ref, most, wishes, command)
    stores.finish([workspace_of(ref)])
    with alone(workspace_of(ref)):
        return _trimmed(ref, most, wishes, command)


def several(workspace: Workspace, most: int, wishes: Wishes, *, command: Sequence[str]) -> Iterator[Trimmed]:
    """The same for each session of a workspace that has more rows; the caller keeps other runs away. What is in the way of one
    keeps no other from it."""
    if compacting(workspace.agent).REMOVES:
        return
    for each in sorted(counts.counts(workspace, time.time()), key=lambda one: (one.key, one.path)):
        if each.rows > most:
            yield _trimmed(counts.reference(each, workspace), most, wishes, command)


def _trimmed(ref: SessionRef, most: int, wishes: Wishes, command: Sequence[str]) -> Trimmed:
    try:
        span = plan.read(ref)
        unread = session_feed.first_waiting(workspace_of(ref), ref.path)
        read = span.rows if unread is None else unread - 1
        cut = _cut(span, most, read)
        over = max(0, span.rows - cut - most)
        done = Trimmed(ref, "nothing", cut, span.rows - cut, over, why=_why(span, cut, most, read))
        if not cut:
            return done
        if wishes.mode == DRY:
            return done._replace(outcome="planned")
        landed = _Trim(span, cut, time.time()).carry_out(wishes, command)
        return done._replace(outcome="trimmed", landed=landed)
    except MemcliError as error:
        return Trimmed(ref, "error", why=error.sentence, code=error.exit_code, busy=is_busy(error))


def _cut(span: Span, most: int, read: int) -> int:
    """How many rows go: whole turns, of which each row is in a summary, and among the first `read` ones, that Dream has read."""
    bound = min(span.summarised, span.rows - most, read)
    return max((turn.first for turn in span.turns if turn.first <= bound), default=0)


def _why(span: Span, cut: int, most: int, read: int) -> str:
    if span.rows - cut <= most:
        return "" if cut else f"it has no more than {most:,} rows"
    if span.summarised < span.rows - most:
        return f"no summary stands for more than {span.summarised:,} of its {span.rows:,} rows"
    if read < span.rows - most:
        return "Dream has yet to read its rows"
    return "the turn at the cut is longer"


class _Trim:
    """The first `cut` rows of a session on their way into the archive."""

    def __init__(self, span: Span, cut: int, seconds: float) -> None:
        self.span, self.cut, self.seconds = span, cut, seconds
        self.workspace = workspace_of(span.ref)
        self.store = sealing.store(self.workspace)
        head = compacting(span.ref.agent).moved(span.head, span.header, cut, span.ref.workspace.era)
        if head is None:
            raise RefusedForSafety(
                f"The offset in {span.ref.shown} cannot be moved. Nothing was changed.", why="damaged"
            )
        self.head = b"".join(head)
        self.sidecar = writing.sidecar(span, -cut)

    def carry_out(self, wishes: Wishes, command: Sequence[str]) -> Landed:
        return carry_out(
            self.workspace,
            Landing(()),
            kind=WHAT,
            seconds=self.seconds,
            extra=self._enter,
            also=[self.span.ref.path, *([self.sidecar.path] if self.sidecar else [])],
            command=command,
            idle=wishes.idle,
            force_live=wishes.force_live,
        )

    def _enter(self, operation: Operation, planned: Landing) -> None:
        span, ref, cut = self.span, self.span.ref, self.cut
        removed = Removed(ref.key, ref.agent, os.path.realpath(ref.path), cut, iso(self.seconds))
        row_archive.add(operation, self.store, removed, span.bytes(0, cut))
        root = guarding.root_of(self.workspace, ref.path)
        operation.rewrite(ref.path, span.version, self._pieces(), root=root, mtime="keep")
        writing.enter_sidecar(operation, span, self.sidecar)
        old = span.mark
        rested = old.at_rest(span.version.size, span.version.mtime_ns)
        size = len(self.head) + span.version.size - span.places[cut]
        tail = old.tail or span.digests[: span.summarised][-row_marks.KEPT :]
        mark = old._replace(
            row=span.summarised - cut, tail=tail, first=span.digests[cut], size=size if rested else old.size
        )
        marks.enter(operation, self.store, mark)
        writing.enter_rest(operation, span, size)

    def _pieces(self) -> Iterator[bytes]:
        yield self.head
        yield from self.span.bytes(self.cut, self.span.rows)
