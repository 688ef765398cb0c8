"""How things stand with Dream: what waits, whether it is due, what failed, and what the agent itself would do."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from memcli.core import positions, sealing
from memcli.core.backoff import Backoff
from memcli.core.dream import aside, notes, reading
from memcli.core.dream.aside import Aside
from memcli.core.dream.due import Due, due
from memcli.core.dream.places import Place
from memcli.core.dream.wishes import Triggers, Wishes
from memcli.core.journals import facet
from memcli.errors import MemcliError
from memcli.formats.facets import Dreams
from memcli.times import iso


class Status(NamedTuple):
    """One place. `last` is when the last Dream ended (epoch seconds, None for never, or not known), `waits` how many seconds it
    is left alone after failures, `dreams` what the agent's own Dream would do (None where there is no journal to tell it by).
    `fails` is why nothing can be told of it, "" where something can."""

    place: Place
    entries: int
    characters: int
    last: float | None
    due: Due
    waits: float
    failures: int
    aside: tuple[Aside, ...]
    dreams: Dreams | None
    notes: tuple[str, ...] = ()
    fails: str = ""
    triggers: Triggers = Triggers()


def status(place: Place, wishes: Wishes, tz: str = "", now: float | None = None) -> Status:
    """How things stand with a place. What cannot be read is told in `fails`."""
    moment = time.time() if now is None else now
    store = sealing.store(place.workspace)
    backoff = Backoff.read(store)
    key = place.key
    failure = backoff.failures.get(key)
    left = tuple(one for one in aside.read(store) if one.place == place.name)
    waits, failures = backoff.waits(key, moment), failure.times if failure else 0
    last = last_of(place)
    try:
        found = reading.feed(place, wishes.limits, tz)
        own = positions.state(place.journal, tz, moment).dreams if place.journal and place.journal.there else None
    except MemcliError as error:
        nothing = Due(False, "it cannot be read")
        return Status(
            place, 0, 0, last, nothing, waits, failures, left, None, fails=error.sentence, triggers=wishes.triggers
        )
    told = due(wishes.triggers, entries=found.entries, characters=found.characters, last=last, now=moment)
    if told.now and waits:
        told = Due(False, f"it failed {failures} times in a row, and is left alone for {waits / 60:.0f} more minutes")
    return Status(
        place, found.entries, found.characters, last, told, waits, failures, left, own, found.notes, "", wishes.triggers
    )


def last_of(place: Place) -> float | None:
    """When the place was dreamt last: by memcli, or by the agent where the time of its position file tells that."""
    told = [notes.read(sealing.store(place.workspace)).times.get(place.name)]
    if place.journal and facet(place.journal).CLOCK:
        told.append(positions.changed(place.journal))
    known = [one for one in told if one is not None]
    return max(known, default=None)


def as_json(one: Status) -> dict[str, Any]:
    """The documented JSON object."""
    return {
        "type": "dream-status",
        "agent": one.place.workspace.agent,
        "workspace": one.place.workspace.shown or one.place.workspace.root,
        "source": one.place.source,
        "place": one.place.name,
        "user": one.place.user or None,
        "entries": one.entries,
        "characters": one.characters,
        "last": None if one.last is None else iso(one.last),
        "due": one.due.now,
        "why": one.fails or one.due.why,
        "triggers": one.triggers._asdict(),
        "waits": round(one.waits),
        "failures": one.failures,
        "set_aside": [each._asdict() for each in one.aside],
        "agent_dreams": one.dreams.runs if one.dreams else None,
        "agent_why": one.dreams.why if one.dreams else None,
        "unreadable": bool(one.fails),
    }
