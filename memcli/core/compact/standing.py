"""How things stand with a session: up to where it can be summarised now, or why nothing of it can."""

from __future__ import annotations

from typing import NamedTuple

from memcli.core import queue, row_marks, sealing, turns
from memcli.core.compact import marks
from memcli.core.compact.plan import Span
from memcli.core.compact.wishes import DRY, Wishes
from memcli.formats import compacting
from memcli.model import Record


class Standing(NamedTuple):
    """The rows from the summarised ones up to index `cut` could be summarised; `said` is what was said in them, with the numbers
    of the rows. `reason` is one of queue.REASONS when nothing can be done, `why` the same as a clause."""

    cut: int
    said: tuple[tuple[int, Record], ...]
    reason: str = queue.CHOSEN
    why: str = ""


def standing(span: Span, wishes: Wishes) -> Standing:
    """Up to where a session can be summarised. Raises CannotRead."""
    before = None
    if compacting(span.ref.agent).REMOVES:
        from memcli.core.compact.reach import dreamt  # of the journals of users alone

        before = dreamt(span.ref)
    cut = span.cut(wishes.keep, wishes.budget, before)
    said = tuple(span.said(span.summarised, cut))
    if any(record.content.strip() or record.calls for _, record in said):
        return Standing(cut, said)
    if before is not None and before < turns.kept(span.turns, wishes.keep):
        return Standing(cut, (), queue.UNDREAMT, "Dream has yet to read its rows")
    if span.summarised:
        left = span.rows - span.summarised
        return Standing(
            cut, (), queue.COMPACTED, f"a summary stands for all but {left:,} row{'' if left == 1 else 's'}"
        )
    return Standing(cut, (), queue.SHORT, "no whole turn of it can go")


def rest(span: Span, cut: int, wishes: Wishes) -> None:
    """Note that nothing more can be done of a session as it is, so that the next runs leave it alone; nothing where other wishes,
    or Dream, could make something possible. Raises CannotWrite, RefusedForSafety."""
    if wishes.mode == DRY or wishes.budget is not None or cut < turns.kept(span.turns, turns.KEEP):
        return
    mark = span.mark._replace(
        first=span.digests[0] if span.digests else "", size=span.version.size, mtime_ns=span.version.mtime_ns
    )
    if span.summarised and not mark.tail:
        mark = mark._replace(row=span.summarised, tail=span.digests[: span.summarised][-row_marks.KEPT :])
    marks.rest(sealing.store(span.ref.workspace), mark)


def passed(span: Span, cut: int, wishes: Wishes) -> None:
    """Note that nothing in the rows up to `cut` is worth keeping. Where more rows could be summarised than were read, the next
    run goes on behind these, or it would read them again, and keep other sessions waiting, for ever. Raises CannotWrite,
    RefusedForSafety."""
    if wishes.mode == DRY or wishes.budget is not None or cut >= turns.kept(span.turns, turns.KEEP):
        rest(span, cut, wishes)
        return
    tail = span.digests[max(0, cut - row_marks.KEPT) : cut]
    marks.rest(
        sealing.store(span.ref.workspace), span.mark._replace(row=cut, tail=tail, first=span.digests[0], size=-1)
    )
