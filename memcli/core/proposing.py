"""Deciding on what is proposed: which proposal and which of its items are meant, landing them, and setting them aside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.core import fitting, inbox, landing, loss
from memcli.core.compact import proposed as compact_proposed
from memcli.core.compact.names import WHAT as COMPACT
from memcli.core.fitting import Placed
from memcli.core.inbox import APPROVED, EDITS, REJECTED, Damaged, Decision, Proposal
from memcli.core.landing import FileChange, Landed, Landing
from memcli.core.memory_places import memory_files
from memcli.core.sealing import store
from memcli.errors import AlreadyDecided, RefusedForSafety, UnknownProposal, UsageError
from memcli.model import Workspace
from memcli.storage import undo
from memcli.storage.operation import Operation

SELF_MADE = "lint"
"""What this made takes out only what stands elsewhere: the loss guard has nothing to say to it."""
TRAILER = "Memcli-Proposal"
"""The trailer that names the proposal, and the items of it that were landed."""
TRIES = 4
"""So often a file is looked at anew when somebody wrote it meanwhile."""
KNOWN = "the memory says it already"


class Found(NamedTuple):
    """A proposal and the workspace whose memory it is for."""

    workspace: Workspace
    proposal: Proposal


class Decided(NamedTuple):
    """What became of a proposal: as it was and as it is now, and the operation, "" where nothing was changed. `landed` is what
    was written, None where that was not asked for."""

    workspace: Workspace
    before: Proposal
    after: Proposal
    operation: str
    landed: Landed | None = None

    @property
    def ids(self) -> list[str]:
        """The items that were decided on."""
        return [id for id in self.before.open if id not in self.after.open]


def found(workspaces: Sequence[Workspace]) -> Iterator[Found | Damaged]:
    """All that is in the inboxes of the workspaces, the oldest first, and the files that are damaged."""
    for workspace in workspaces:
        kept = inbox.read(store(workspace))
        yield from (Found(workspace, proposal) for proposal in kept.proposals)
        yield from kept.damaged


def choose(id: str, workspaces: Sequence[Workspace]) -> Found:
    """The proposal that an id means. Raises UnknownProposal, UsageError where several workspaces have one of that name."""
    every = list(found(workspaces))
    named = [one for one in every if isinstance(one, Found) and one.proposal.id == id.strip().casefold()]
    if len(named) > 1:
        places = ", ".join(one.workspace.root for one in named)
        raise UsageError(f"Several workspaces have a proposal {id} ({places}); name one with -W.")
    if named:
        return named[0]
    damaged = next(
        (one for one in every if isinstance(one, Damaged) and os.path.basename(one.path) == f"{id}.json"), None
    )
    if damaged:
        raise UnknownProposal(f"{damaged.path} is no proposal that can be read: {damaged.why}. It was left as it is.")
    there = [one.proposal.id for one in every if isinstance(one, Found) and one.proposal.open]
    known = f"open are {', '.join(there[:8])}" if there else "none is open"
    missing = f"There is no proposal {id!r}" if id else "Name the proposal by its id"
    raise UnknownProposal(f"{missing}; {known}. 'memcli proposals ls --all' lists all.")


def chosen(proposal: Proposal, only: Sequence[str]) -> list[str]:
    """The items that are meant: those named, each alone or in lists with commas, else all open ones. Raises UsageError for an
    unknown one, AlreadyDecided."""
    named = list(dict.fromkeys(word.strip() for one in only for word in one.split(",") if word.strip()))
    if only and not named:
        raise UsageError(f"--only needs items of {proposal.id}: {', '.join(proposal.ids)}.")
    for id in named:
        if id not in proposal.ids:
            raise UsageError(
                f"{proposal.id} has no item {id!r}; it has {', '.join(proposal.ids)}. Nothing was changed."
            )
        decision = proposal.decision(id)
        if decision:
            raise AlreadyDecided(f"Item {id} of {proposal.id} {_told(decision)}. Nothing was changed.")
    if named:
        return named
    if not proposal.open:
        last = proposal.decisions[-1]
        raise AlreadyDecided(f"{proposal.id} {_told(last)}; none of its items is open. Nothing was changed.")
    return proposal.open


def put(workspace: Workspace, proposal: Proposal, *, command: Sequence[str]) -> Proposal:
    """Put a proposal into the inbox, as an operation of its own. Raises CannotWrite, RefusedForSafety."""
    kept = store(workspace)
    what = f"{proposal.what} proposal"
    with undo.begin(kept, what, command=command, agent=workspace.agent) as operation:
        made = inbox.put(operation, kept, proposal)
        operation.commit()
    return made


def plan(one: Found, only: Sequence[str] = (), *, allow_loss: bool = False, seconds: float) -> Landing:
    """What approving would write. Raises what `approve` does."""
    ids = chosen(one.proposal, only)
    if one.proposal.kind == EDITS:
        return _landing(_edited(one, ids, allow_loss))
    proposal = one.proposal
    if proposal.what == COMPACT:
        return compact_proposed.plan_of(one, ids, seconds)
    items = [each.item for each in proposal.items if each.id in ids]
    return landing.plan(
        one.workspace, items, user=proposal.user, beside=proposal.beside, seconds=seconds, allow_loss=allow_loss
    )


def approve(
    one: Found,
    only: Sequence[str] = (),
    *,
    allow_loss: bool = False,
    seconds: float,
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Decided:
    """Write what is proposed, or the items named; the rest stays open. Their status changes in the same operation.

    Items that the memory contradicts, and those that must not be kept, stay open too. Edits are made where their old text stands
    by now. Raises UsageError, AlreadyDecided, RefusedForSafety where one does not fit any more or an agent is at work,
    CannotRead, CannotWrite; then nothing is changed, or the sentence says so.
    """
    ids = chosen(one.proposal, only)
    if one.proposal.what == COMPACT:
        return compact_proposed.approve(one, ids, seconds=seconds, command=command, idle=idle, force_live=force_live)
    made = _edits if one.proposal.kind == EDITS else _items
    for _ in range(TRIES - 1):
        try:
            return made(one, ids, allow_loss, seconds, command, idle, force_live)
        except RefusedForSafety as error:
            if error.facts.get("why") != "changed":
                raise
    return made(one, ids, allow_loss, seconds, command, idle, force_live)


def reject(
    one: Found, only: Sequence[str] = (), *, because: str = "", seconds: float, command: Sequence[str]
) -> Decided:
    """Set a proposal, or the items named, aside with the reason; it stays in the inbox. Raises UsageError, AlreadyDecided,
    RefusedForSafety, CannotWrite."""
    workspace, proposal = one
    made = [Decision(id, REJECTED, inbox.stamp(seconds), because) for id in chosen(proposal, only)]
    kept = store(workspace)
    with undo.begin(kept, "proposals reject", command=command, agent=workspace.agent) as operation:
        after = proposal._replace(decisions=(*proposal.decisions, *made))
        inbox.change(operation, kept, proposal, after)
        record = operation.commit()
    return Decided(workspace, proposal, after, record.id)


def path_of(one: Found, name: str) -> str:
    """The memory file that a proposal names. Raises RefusedForSafety for any other file."""
    path = os.path.normpath(os.path.join(one.workspace.root, name))
    real = os.path.realpath(path)
    if real not in {os.path.realpath(memory.path) for memory in memory_files(one.workspace)}:
        raise RefusedForSafety(
            f"{one.proposal.id} would change {path}, which is no memory file of {one.workspace.root}. Nothing was changed.",
            why="foreign",
        )
    return path


def is_base(proposal: Proposal, name: str, change: FileChange) -> bool:
    """Whether a file is as it was when the edits were made."""
    return change.version is not None and proposal.base.get(name) == change.version.sha256


def _edits(
    one: Found,
    ids: Sequence[str],
    allow_loss: bool,
    seconds: float,
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Decided:
    proposal = one.proposal
    changes = _edited(one, ids, allow_loss)
    edits, base = list(proposal.edits), dict(proposal.base)
    for change, places in changes:
        name = places[0].edit.path
        rest = [edit for edit in edits if edit.path == name and edit.id not in ids]
        same = is_base(proposal, name, change)
        moved = iter(fitting.carried(rest, places, change.old or b"", same=same))
        edits = [next(moved) if edit in rest else edit for edit in edits]
        base[name] = fitting.digest(change.new)
    carried = proposal._replace(edits=tuple(edits), base=base)

    def decisions(operation: Operation, planned: Landing) -> Proposal:
        return _approved(carried, ids, operation, seconds)

    return _carried_out(one, _landing(changes), ids, decisions, seconds, command, idle, force_live)


def _items(
    one: Found,
    ids: Sequence[str],
    allow_loss: bool,
    seconds: float,
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Decided:
    proposal = one.proposal
    planned = plan(one, ids, allow_loss=allow_loss, seconds=seconds)
    held = [*(item for item, *_ in planned.conflicts), *(item for item, _ in planned.refused)]
    known = [item for item, _ in planned.known]
    wanted = [each for each in proposal.items if each.id in ids and each.item not in held]

    def decisions(operation: Operation, planned: Landing) -> Proposal:
        made = _approved(proposal, [each.id for each in wanted], operation, seconds)
        there = {each.id for each in wanted if each.item in known}
        told = tuple(each._replace(because=KNOWN) if each.id in there else each for each in made.decisions)
        return made._replace(decisions=told)

    return _carried_out(one, planned, ids, decisions, seconds, command, idle, force_live)


def _carried_out(
    one: Found,
    planned: Landing,
    ids: Sequence[str],
    decisions: Callable[[Operation, Landing], Proposal],
    seconds: float,
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Decided:
    workspace, proposal = one
    after = proposal

    def extra(operation: Operation, planned: Landing) -> None:
        nonlocal after
        after = decisions(operation, planned)
        inbox.change(operation, store(workspace), proposal, after)

    whole = len(ids) == len(proposal.ids)
    named = proposal.id if whole else f"{proposal.id} {', '.join(ids)}"
    landed = landing.carry_out(
        workspace,
        planned,
        kind="dream-user" if proposal.what == "dream" and proposal.user else proposal.what,
        seconds=seconds,
        trailers={**proposal.trailers, TRAILER: (named,)},
        about=proposal.about if proposal.kind != EDITS else None,
        extra=extra,
        command=command,
        idle=idle,
        force_live=force_live,
    )
    return Decided(workspace, proposal, after, landed.record.id if landed.record.changes else "", landed)


def _approved(proposal: Proposal, ids: Sequence[str], operation: Operation, seconds: float) -> Proposal:
    when = inbox.stamp(seconds)
    made = [Decision(id, APPROVED, when, operation=operation.id) for id in ids]
    return proposal._replace(decisions=(*proposal.decisions, *made))


def _edited(one: Found, ids: Sequence[str], allow_loss: bool) -> list[tuple[FileChange, list[Placed]]]:
    """The files with the edits of these items. Raises RefusedForSafety where one does not fit any more, and by the loss guard."""
    workspace, proposal = one
    found = []
    unfit: dict[str, list[str]] = {}
    for name in dict.fromkeys(edit.path for edit in proposal.edits if edit.id in ids):
        path = path_of(one, name)
        mine = [edit for edit in proposal.edits if edit.path == name and edit.id in ids]
        change = landing.change_of(workspace, path, workspace.root, b"")
        same = is_base(proposal, name, change)
        places = None if change.old is None else fitting.placed(mine, change.old, same=same)
        if places is None or change.old is None:
            unfit[change.shown] = fitting.misfits(mine, change.old, same=same)
            continue
        change = change._replace(new=fitting.applied(places, change.old))
        loss.check(change.old or b"", change.new, allow_loss or proposal.what == SELF_MADE)
        found.append((change, places))
    if unfit:
        raise RefusedForSafety(_unfit(one, unfit, ids), why="unfit")
    return found


def _landing(changes: Sequence[tuple[FileChange, list[Placed]]]) -> Landing:
    """What is to be written; a file of which only conditions are checked is not."""
    return Landing(tuple(change for change, _ in changes if change.new != change.old))


def _unfit(one: Found, unfit: dict[str, list[str]], ids: Sequence[str]) -> str:
    """Why edits cannot be made, and what can be done."""
    bad = list(dict.fromkeys(id for several in unfit.values() for id in several))
    good = [id for id in ids if id not in bad]
    places = " and ".join(unfit)
    what = f"item {bad[0]}" if len(bad) == 1 else f"items {', '.join(bad)}"
    rest = f" --only {','.join(good)} lands the others, or" if good else ""
    again = (
        f"'memcli lint --fix {one.proposal.about['fix']}' proposes it" if "fix" in one.proposal.about else "propose it"
    )
    return (
        f"{places} changed since {one.proposal.id} was made, and {what} of it no longer {'fits' if len(bad) == 1 else 'fit'}. "
        f"Nothing was changed;{rest} {again} again."
    )


def _told(decision: Decision) -> str:
    because = f": {decision.because}" if decision.because else ""
    return f"was {decision.status} already, {decision.time}{because}"
