"""A Dream: what waits in a place is read, batch by batch, and what is worth keeping lands in the memory or in the inbox.

Exactly once: the position behind a batch changes together with what came of it, and only from what it was when the batch was
read. A model that fails changes nothing but the time of the next try.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memcli import llm, settings
from memcli.core import asking, inbox, landing, loss, sealing, stores
from memcli.core.asking import Extracted
from memcli.core.backoff import Backoff
from memcli.core.dream import aside, notes, reading, status, surgical
from memcli.core.dream.feed import Feed, Said
from memcli.core.dream.made import Made
from memcli.core.dream.places import Place
from memcli.core.dream.wishes import Wishes
from memcli.core.landing import Landed, Landing, Write
from memcli.core.proposals import Proposal, of_items
from memcli.core.redacting import Redactor
from memcli.errors import MemcliError, ProviderFailed, RefusedForSafety, UsageError
from memcli.llm import Model, Reader
from memcli.model import Batch, Entry, Item
from memcli.storage import state as kept
from memcli.storage.locks import Lock, hold
from memcli.storage.operation import Operation

WRITE, DRY, PROPOSE = "write", "dry", "propose"
OFFLINE = "offline"
ELSEWHERE = frozenset({"no-key", "key", "quota", "redirect", "sdk", "connection"})
"""Reasons of a provider (errors.ProviderFailed) that are no batch's fault: it waits, however long that takes."""

PASSING = frozenset({"in use", "locked", "changed"})
"""Reasons (`why` of errors) that go away by themselves: somebody is at work on the files."""


class Dreamt(NamedTuple):
    """What one batch came to. `outcome`: "dreamt" (written, or nothing of it was worth keeping), "planned" (--dry-run),
    "proposed", "nothing" (nothing waits), "not-due", "failed" (the provider; `why` is its sentence), "set-aside" (it failed
    too often), "error" (`why` says what was in the way, `code` is the exit code of that; `passing`: it is for now, as somebody is
    at work there). `left` counts what still waits."""

    place: Place
    outcome: str
    provider: str = ""
    model: str = ""
    said: tuple[Said, ...] = ()
    left: int = 0
    extracted: Extracted | None = None
    landing: Landing | None = None
    landed: Landed | None = None
    proposal: Proposal | None = None
    made: Made | None = None
    why: str = ""
    code: int = 0
    passing: bool = False
    notes: tuple[str, ...] = ()


def provider_of(wishes: Wishes) -> Reader | Model:
    """The provider that was asked for: by the option, or [llm] of the configuration, else offline. Raises UsageError,
    ConfigurationError."""
    table = settings.configuration("llm")
    name = wishes.provider or str(table.get("provider") or OFFLINE)
    return llm.load(name, table)


@contextmanager
def alone(place: Place) -> Iterator[None]:
    """Keep other runs of dream away from the workspace. Raises RefusedForSafety when one is under way."""
    store = sealing.store(place.workspace)
    path = os.path.join(kept.place(store, "dreams"), "lock")
    with hold([Lock("flock", path)], store=store, timeout=0.5):
        yield


def several(
    places: Sequence[Place],
    wishes: Wishes,
    provider: Reader | Model,
    mode: str,
    *,
    if_due: bool,
    command: Sequence[str],
    tz: str = "",
) -> Iterator[Dreamt]:
    """Dream in each of the places, those that are due with `if_due`; what is in the way of one keeps no other from it."""
    for place in places:
        try:
            if mode != DRY:
                stores.finish([place.workspace])
            if if_due:
                told = status.status(place, wishes, tz)
                if told.fails or not told.due.now:
                    yield Dreamt(place, "not-due", left=told.entries, why=told.due.why, notes=told.notes)
                    continue
            if mode == DRY:
                yield from run(place, wishes, provider, mode, command=command, tz=tz)
            else:
                with alone(place):
                    yield from run(place, wishes, provider, mode, command=command, tz=tz)
        except MemcliError as error:
            if isinstance(error, UsageError):
                raise
            passing = error.facts.get("why") in PASSING
            failed = Dreamt(place, "error", provider.name, provider.model, why=error.sentence, code=error.exit_code)
            yield failed._replace(passing=passing)


def run(
    place: Place, wishes: Wishes, provider: Reader | Model, mode: str, *, command: Sequence[str], tz: str = ""
) -> Iterator[Dreamt]:
    """Dream one batch of the place, or with `wishes.every` all of them; for a reader, which has no limit to what it reads at a
    time, they are one. What a failed provider leaves waiting is the last thing told. Raises CannotRead, CannotWrite,
    RefusedForSafety, UsageError."""
    skipped = 0
    whole = wishes.every and llm.is_reader(provider)
    while True:
        found = reading.feed(place, wishes.limits, tz)
        if mode == DRY and skipped:  # nothing was noted: go on behind what was shown
            found = found._replace(said=found.said[skipped:], entries=found.entries - skipped)
        said = reading.batch(found, wishes.limits, whole=whole)
        if not said and not (mode != DRY and found.taken(0)):
            yield Dreamt(place, "nothing", notes=found.notes, why="nothing waits")
            return
        one = _batch(place, found, said, wishes, provider, mode, command)
        yield one
        skipped += len(said) if mode == DRY else 0
        if not said or one.outcome == "failed" or not wishes.every or not one.left:
            return


def losses(planned: Landing, wishes: Wishes) -> list[str]:
    """Sentences on files out of which more would go than a run may take."""
    found = []
    for one in planned.files:
        try:
            loss.check(one.old or b"", one.new, wishes.allow_loss)
        except RefusedForSafety as error:
            found.append(f"{one.shown}: {error.sentence}")
    return found


def _batch(
    place: Place,
    found: Feed,
    said: Sequence[Said],
    wishes: Wishes,
    provider: Reader | Model,
    mode: str,
    command: Sequence[str],
) -> Dreamt:
    store = sealing.store(place.workspace)
    backoff = Backoff.read(store)
    left = found.entries - len(said)
    done = Dreamt(place, "", provider.name, provider.model, tuple(said), left, notes=(*found.notes, *_cuts(said)))
    batch = Batch(tuple(Entry(one.number, one.content, one.at) for one in said), reading.memory(place))
    seconds = time.time()
    limits = asking.Limits(tokens=wishes.limits.tokens, seconds=wishes.limits.seconds)
    operated = None
    try:
        model = surgical.tooled(place, provider)
        if model:
            operated = surgical.operate(
                place, model, said, batch, limits, allow_loss=wishes.allow_loss or mode == DRY, seconds=seconds
            )
            if operated and operated.landing is None:
                done = done._replace(notes=(*done.notes, *operated.extracted.notes))
                limits = limits._replace(tokens=max(0, limits.tokens - operated.extracted.spent))
                operated = None
        extracted = operated.extracted if operated else asking.extract(provider, batch, limits)
    except ProviderFailed as error:
        if mode == DRY:
            return done._replace(outcome="failed", why=error.sentence)
        backoff.failed(place.key, seconds)
        if not backoff.set_aside(place.key) or error.facts.get("why") in ELSEWHERE:
            return done._replace(outcome="failed", why=error.sentence)
        aside.put(place, said, found.taken(len(said)), error.sentence, seconds, wishes, command)
        backoff.succeeded(place.key)
        return done._replace(outcome="set-aside", why=error.sentence)
    extracted = _masked(extracted)
    made = Made(
        seconds,
        found.source,
        found.name,
        provider.name,
        provider.model,
        extracted.prompt,
        found.moved(len(said)),
        tuple(said),
    )
    done = done._replace(extracted=extracted, made=made, notes=(*done.notes, *extracted.notes))
    if mode == DRY:
        planned = operated.landing if operated and operated.landing else _plan(done, wishes._replace(allow_loss=True))
        return done._replace(outcome="planned", landing=planned, notes=(*done.notes, *losses(planned, wishes)))
    writes = [*found.taken(len(said)), notes.read(store).write(place.name, seconds)]
    if mode == PROPOSE:
        done = _propose(done, made, writes, command, wishes)
    elif operated and operated.landing:
        done = _edited(done, made, operated.landing, writes, command, wishes)
    else:
        done = _land(done, made, extracted.items, writes, command, wishes)
    backoff.succeeded(place.key)
    return done


def _masked(extracted: Extracted) -> Extracted:
    """The same with what is secret or personal masked in the words that items quote: they are kept in the state folder."""
    redactor = Redactor()
    told: dict[int, Item] = {}
    for item in extracted.items:
        sources = tuple(one._replace(quote=redactor.text(one.quote)) for one in item.sources)
        told[id(item)] = item._replace(sources=sources) if sources != item.sources else item
    items = tuple(told[id(item)] for item in extracted.items)
    doubtful = tuple(told.get(id(item), item) for item in extracted.unverified)
    return extracted._replace(items=items, unverified=doubtful)


def _plan(done: Dreamt, wishes: Wishes) -> Landing:
    """Where the items of a batch would go."""
    assert done.extracted is not None
    assert done.made is not None
    return landing.plan(
        done.place.workspace,
        done.extracted.items,
        user=done.place.user,
        beside=done.place.beside,
        seconds=done.made.seconds,
        allow_loss=wishes.allow_loss,
    )


def _edited(
    done: Dreamt, made: Made, planned: Landing, writes: Sequence[Write], command: Sequence[str], wishes: Wishes
) -> Dreamt:
    """Write what a model made of the file; when that was changed meanwhile nothing is written, and the entries go on waiting."""
    items = [item for file in planned.files for item in file.items]
    landed = landing.carry_out(
        done.place.workspace,
        planned,
        kind="dream-user" if done.place.user else "dream",
        seconds=made.seconds,
        trailers=made.trailers(items),
        about=made.about(),
        writes=writes,
        command=command,
        idle=wishes.idle,
        force_live=wishes.force_live,
    )
    return done._replace(outcome="dreamt", landing=planned, landed=landed)


def _land(
    done: Dreamt, made: Made, items: Sequence[Item], writes: Sequence[Write], command: Sequence[str], wishes: Wishes
) -> Dreamt:
    """Write what is sure into the memory; what passed the guards in part goes into the inbox, for a person to look at."""
    place = done.place
    doubtful = done.extracted.unverified if done.extracted else ()
    sure = [item for item in items if not any(item is one for one in doubtful)]
    inbox_ = _Inbox(place, made)
    landed = landing.land(
        place.workspace,
        sure,
        user=place.user,
        beside=place.beside,
        kind="dream-user" if place.user else "dream",
        seconds=made.seconds,
        allow_loss=wishes.allow_loss,
        trailers=made.trailers(sure),
        about=made.about(),
        writes=writes,
        extra=lambda operation, _: inbox_.put(operation, doubtful),
        command=command,
        idle=wishes.idle,
        force_live=wishes.force_live,
    )
    return done._replace(outcome="dreamt", landing=landed.landing, landed=landed, proposal=inbox_.proposal)


class _Inbox:
    """Puts items into the inbox within an operation; `proposal` is the one that was made, None for none."""

    def __init__(self, place: Place, made: Made) -> None:
        self.place, self.made = place, made
        self.proposal: Proposal | None = None

    def put(self, operation: Operation, items: Sequence[Item]) -> None:
        self.proposal = None
        if not items:
            return
        proposal = of_items(
            items,
            what="dream",
            seconds=self.made.seconds,
            provider=f"{self.made.provider} {self.made.model}".strip(),
            prompt=self.made.prompt,
            user=self.place.user,
            beside=self.place.beside,
            trailers=self.made.trailers(items),
            about=self.made.about(),
        )
        self.proposal = inbox.put(operation, sealing.store(self.place.workspace), proposal)


def _propose(done: Dreamt, made: Made, writes: Sequence[Write], command: Sequence[str], wishes: Wishes) -> Dreamt:
    """Put what is new into the inbox; the position moves with it, so that nothing is proposed twice."""
    planned = _plan(done, wishes)
    new = [item for file in planned.files for item in file.items]
    inbox_ = _Inbox(done.place, made)
    landed = landing.carry_out(
        done.place.workspace,
        Landing(()),
        kind="dream proposal",
        seconds=made.seconds,
        writes=writes,
        extra=lambda operation, _: inbox_.put(operation, new),
        command=command,
        idle=wishes.idle,
        force_live=wishes.force_live,
    )
    return done._replace(outcome="proposed", landing=planned, landed=landed, proposal=inbox_.proposal)


def _cuts(said: Sequence[Said]) -> list[str]:
    """Sentences on what of the entries was left out."""
    cut = [one for one in said if one.cut]
    if not cut:
        return []
    names = ", ".join(f"{one.origin.shown} (by {one.cut:,})" for one in cut[:5])
    more = f" and {len(cut) - 5} more" if len(cut) > 5 else ""
    return [f"Longer than a batch takes, and cut (characters): {names}{more}."]
