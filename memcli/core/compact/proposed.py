"""A summary that waits in the inbox for somebody to decide: approving it lands it as any other, if its rows are still there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memcli.core import inbox, row_marks, sealing
from memcli.core.asking.points import KINDS, Point
from memcli.core.compact import gathering, marks, plan, writing
from memcli.core.compact.gathering import Gathered
from memcli.core.compact.names import WHAT, path_of, rows_of, workspace_of
from memcli.core.compact.plan import Span
from memcli.core.compact.wishes import Wishes
from memcli.core.compact.writing import Maker
from memcli.core.inbox import APPROVED, REJECTED, Decision, Proposal, of_items
from memcli.core.landing import Landing
from memcli.core.naming import shown
from memcli.errors import RefusedForSafety
from memcli.model import SessionRef, Workspace
from memcli.storage import undo
from memcli.storage.operation import Operation

if TYPE_CHECKING:
    from memcli.core.proposing import Decided, Found

OMITTED = "left out of the summary"


def put(span: Span, cut: int, gathered: Gathered, maker: Maker, *, command: Sequence[str]) -> Proposal:
    """Put a summary into the inbox, and note that nothing else is to be done of the session as it is. Raises CannotWrite,
    RefusedForSafety."""
    workspace = workspace_of(span.ref)
    store = sealing.store(workspace)
    rows = {
        "path": span.mark.path,
        "tail": list(span.digests[max(0, cut - row_marks.KEPT) : cut]),
        "cut": cut,
        "points": [point._asdict() for point in gathered.points],
    }
    proposal = of_items(
        gathered.items,
        what=WHAT,
        seconds=maker.seconds,
        provider=f"{maker.provider} {maker.model}".strip(),
        prompt=maker.prompt,
        trailers={name: tuple(values) for name, values in writing.trailers(span, cut, maker).items()},
        about={**writing.about(span, cut, gathered.items, maker), WHAT: rows},
    )
    mark = span.mark._replace(size=span.version.size, mtime_ns=span.version.mtime_ns)
    with undo.begin(store, "compact proposal", command=command, agent=workspace.agent) as operation:
        made = inbox.put(operation, store, proposal)
        marks.enter(operation, store, mark)
        operation.commit()
    return made


def plan_of(one: Found, ids: Sequence[str], seconds: float) -> Landing:
    """What approving would write into the memory. Raises what `approve` does."""
    span, _ = _span(one)
    return writing.plan(span, _gathered(one.proposal, ids), seconds)


def approve(
    one: Found, ids: Sequence[str], *, seconds: float, command: Sequence[str], idle: float, force_live: bool
) -> Decided:
    """Land the summary with these of its points; the others are rejected, as the rows are summarised then. Raises
    RefusedForSafety when the rows are not there any more, or were summarised meanwhile."""
    from memcli.core.proposing import TRAILER, Decided

    workspace, proposal = one
    span, cut = _span(one)
    maker = Maker(
        str(proposal.about.get("provider") or ""), str(proposal.about.get("model") or ""), proposal.prompt, seconds
    )
    after = proposal

    def decide(operation: Operation) -> None:
        nonlocal after
        when = inbox.stamp(seconds)
        made = [Decision(id, APPROVED, when, operation=operation.id) for id in ids]
        made += [Decision(id, REJECTED, when, OMITTED, operation=operation.id) for id in proposal.open if id not in ids]
        after = proposal._replace(decisions=(*proposal.decisions, *made))
        inbox.change(operation, sealing.store(workspace), proposal, after)

    wishes = Wishes(idle=idle, force_live=force_live)
    named = {TRAILER: (proposal.id if len(ids) == len(proposal.ids) else f"{proposal.id} {', '.join(ids)}",)}
    gathered = _gathered(proposal, ids)
    written = writing.land(span, cut, gathered, maker, wishes, command=command, extra=decide, more=named)
    return Decided(workspace, proposal, after, written.landed.record.id, written.landed)


def _gathered(proposal: Proposal, ids: Sequence[str]) -> Gathered:
    """The points of these items."""
    points = [point for value in rows_of(proposal).get("points") or () if (point := _point(value)) is not None]
    by_text = {gathering.item(point).text: point for point in points}
    found = [by_text.get(each.item.text) for each in proposal.items if each.id in ids]
    return gathering.gather([point for point in found if point is not None])


def _point(value: Any) -> Point | None:
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        return None
    rows = [row for row in value.get("rows") or () if type(row) is int]
    return Point(
        value["kind"],
        str(value.get("text") or ""),
        tuple(rows),
        "user" if value.get("layer") == "user" else "project",
        value.get("verified") is True,
    )


def _span(one: Found) -> tuple[Span, int]:
    """The session as it is now, and where the rows of the proposal end in it."""
    workspace, proposal = one
    rows = rows_of(proposal)
    path = os.path.normpath(os.path.join(sealing.store(workspace).root, path_of(proposal)))
    tail = [word for word in rows.get("tail") or () if isinstance(word, str)]
    ref = _reference(workspace, str(proposal.about.get("name") or ""), path)
    span = plan.read(ref)
    cut = row_marks.locate(tail, int(rows.get("cut") or 0), span.digests)
    known = cut and tail and span.digests[cut - 1] == tail[-1]
    if not known or cut <= span.summarised or all(turn.first != cut for turn in span.turns):
        why = "its rows are not there any more" if not known else "its rows were summarised meanwhile"
        raise RefusedForSafety(
            f"{proposal.id} is about {ref.shown}, and {why}. Nothing was changed; reject it, and compact the session anew.",
            path=path,
            why="unfit",
        )
    return span, cut


def _reference(workspace: Workspace, key: str, path: str) -> SessionRef:
    return SessionRef(workspace.agent, key, path, shown(workspace, path), workspace)
