"""Batches that no provider could read, however often it was tried: noted in the state folder, so that Dream goes on."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import sealing
from memcli.core.dream.feed import Said
from memcli.core.dream.made import new_id
from memcli.core.dream.places import Place
from memcli.core.dream.wishes import Wishes
from memcli.core.landing import Landing, Write, carry_out
from memcli.storage import state
from memcli.storage.operation import Operation
from memcli.storage.state import Store

PREFIX, ENDING = "aside-", ".json"


class Aside(NamedTuple):
    """One batch: `id` names it, `place` is where it waited, `entries` how many there are, `first` where the oldest stands, `why`
    is the provider's last sentence, `time` when it was set aside (ISO, UTC)."""

    id: str
    place: str
    entries: int
    first: str
    why: str
    time: str


def put(
    place: Place,
    said: Sequence[Said],
    writes: Sequence[Write],
    why: str,
    seconds: float,
    wishes: Wishes,
    command: Sequence[str],
) -> str:
    """Set a batch aside, and its position with it; the id of the operation, which undo takes back: then it waits again. Raises
    RefusedForSafety, also when an agent is at work on the position, CannotWrite."""
    store = sealing.store(place.workspace)
    id = new_id(seconds)
    value = {
        "id": id,
        "place": place.name,
        "why": why,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
        "said": [
            {**one.origin._asdict(), "shown": one.origin.shown, "number": one.number, "at": one.at} for one in said
        ],
    }

    def add(operation: Operation, _: Landing) -> None:
        folder = state.place(store, "dreams")
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        operation.create(os.path.join(folder, f"{PREFIX}{id}{ENDING}"), data, root=folder)

    landed = carry_out(
        place.workspace,
        Landing(()),
        kind="dream set aside",
        seconds=seconds,
        writes=writes,
        extra=add,
        command=command,
        idle=wishes.idle,
        force_live=wishes.force_live,
    )
    return landed.record.id


def read(store: Store) -> list[Aside]:
    """The batches that were set aside in a workspace, the oldest first; damaged files are passed over."""
    folder = os.path.join(store.folder, "dreams")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        if name.startswith(PREFIX) and name.endswith(ENDING):
            one = _read(os.path.join(folder, name))
            if one:
                found.append(one)
    return found


def _read(path: str) -> Aside | None:
    try:
        with open(path, "rb") as file:
            value = json.load(file)
        said = value["said"]
        first = str(said[0]["shown"]) if said else ""
        return Aside(str(value["id"]), str(value["place"]), len(said), first, str(value["why"]), str(value["time"]))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
