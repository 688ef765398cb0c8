"""Batches that no provider could read, however often it was tried: noted in the state folder, so that Dream goes on."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, sealing
from memcli.core.dream.feed import Said
from memcli.core.dream.made import new_id
from memcli.core.dream.places import Place
from memcli.core.landing import Write
from memcli.storage import state, undo
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
    place: Place, said: Sequence[Said], writes: Sequence[Write], why: str, seconds: float, command: Sequence[str]
) -> str:
    """Set a batch aside, and its position with it; the id of the operation, which undo takes back: then it waits again. Raises
    RefusedForSafety, CannotWrite."""
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
    theirs = [write.path for write in writes if not write.ours]
    with undo.begin(
        store,
        "dream set aside",
        command=command,
        agent=place.workspace.agent,
        locks=guarding.locks_of(place.workspace, theirs),
        beacons=guarding.beacons_of(place.workspace),
    ) as operation:
        folder = state.place(store, "dreams")
        data = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass") + b"\n"
        operation.create(os.path.join(folder, f"{PREFIX}{id}{ENDING}"), data, root=folder)
        for write in writes:
            if write.expected is None:
                operation.create(write.path, write.data, root=write.root)
            else:
                operation.rewrite(write.path, write.expected, write.data, root=write.root)
        return operation.commit().id


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
