"""A memory that has grown too large, made shorter: never written at once, but proposed, change by change."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from memcli.core import asking, inbox, landing, loss, sealing
from memcli.core.asking.shrinking import Shrunk, consolidate
from memcli.core.dream.places import Place
from memcli.core.dream.running import DRY, Dreamt, alone, losses
from memcli.core.dream.wishes import Wishes
from memcli.core.hunks import hunks
from memcli.core.landing import FileChange, Landing
from memcli.core.proposals import EDITS, Proposal, ProposedEdit, stamp
from memcli.errors import CannotRead, MemcliError, ProviderFailed, UsageError
from memcli.llm import Model, Reader
from memcli.model import Workspace
from memcli.storage.operation import Operation

AROUND = 200
"""So many bytes around a change are kept with it, to find its place again."""


def run(
    places: Sequence[Place], wishes: Wishes, provider: Reader | Model, mode: str, *, command: Sequence[str]
) -> Iterator[Dreamt]:
    """Propose a shorter text for each memory file of the places that can be made shorter; with mode "dry" only show it. What is
    in the way of one file keeps no other from it."""
    seen: set[str] = set()
    for place in places:
        for target in landing.targets_of(place.workspace, user=place.user, beside=place.beside):
            if target.path in seen or not os.path.lexists(target.path):
                continue
            seen.add(target.path)
            owner = landing.owner_of(place.workspace, target.root)
            try:
                if mode == DRY:
                    yield _one(place, owner, target.path, wishes, provider, mode, command)
                else:
                    with alone(place):
                        yield _one(place, owner, target.path, wishes, provider, mode, command)
            except MemcliError as error:
                if isinstance(error, UsageError):
                    raise
                outcome = "failed" if isinstance(error, ProviderFailed) else "error"
                yield Dreamt(place, outcome, provider.name, provider.model, why=error.sentence, code=error.exit_code)


def _one(
    place: Place,
    owner: Workspace,
    path: str,
    wishes: Wishes,
    provider: Reader | Model,
    mode: str,
    command: Sequence[str],
) -> Dreamt:
    change = landing.change_of(owner, path, owner.root, b"")
    old = change.old or b""
    try:
        text = old.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CannotRead(
            f"{change.shown} is not UTF-8; it was left as it is.", path=path, why="it is not UTF-8"
        ) from error
    limits = asking.Limits(tokens=wishes.limits.tokens, seconds=wishes.limits.seconds)
    shrunk = consolidate(provider, text, limits)
    change = change._replace(new=shrunk.text.encode())
    done = Dreamt(place, "nothing", provider.name, provider.model, notes=shrunk.notes)
    if change.new == old:
        return done._replace(why=f"{change.shown} says nothing twice")
    done = done._replace(landing=Landing((change,)))
    if mode == DRY:
        return done._replace(outcome="planned", notes=(*done.notes, *losses(Landing((change,)), wishes)))
    loss.check(old, change.new, wishes.allow_loss)
    seconds = time.time()
    proposal = _proposal(owner, change, shrunk, provider, seconds)
    made: list[Proposal] = []

    def put(operation: Operation, planned: Landing) -> None:
        made.append(inbox.put(operation, sealing.store(owner), proposal))

    landed = landing.carry_out(
        owner, Landing(()), kind="consolidate", seconds=seconds, extra=put, command=command, idle=0, force_live=True
    )
    return done._replace(outcome="proposed", landed=landed, proposal=made[0])


def _proposal(
    owner: Workspace, change: FileChange, shrunk: Shrunk, provider: Reader | Model, seconds: float
) -> Proposal:
    """Every place where the texts differ as an edit of its own."""
    assert change.version is not None
    name = os.path.relpath(change.path, owner.root)
    old = change.old or b""
    before, after = old.splitlines(keepends=True), change.new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    edits = []
    for number, hunk in enumerate(hunks(before, after), 1):
        start, end = starts[hunk.start], starts[hunk.end]
        edits.append(
            ProposedEdit(
                str(number),
                name,
                start,
                old[start:end],
                b"".join(after[hunk.at : hunk.to]),
                "",
                old[max(0, start - AROUND) : start],
                old[end : end + AROUND],
            )
        )
    return Proposal(
        EDITS,
        "consolidate",
        stamp(seconds),
        provider=f"{provider.name} {provider.model}".strip(),
        prompt=shrunk.prompt,
        edits=tuple(edits),
        base={name: change.version.sha256},
        about={"notes": list(shrunk.notes), "verified": shrunk.verified},
    )
