"""When memcli dreamt last, by the place that it read: a small file in the state folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from memcli.core.landing import Write
from memcli.storage import state
from memcli.storage.state import Store
from memcli.storage.versions import Version, read_version

FILE = "last.json"


class Last(NamedTuple):
    """When each place was dreamt last (epoch seconds), and the version of the file that says so."""

    store: Store
    times: Mapping[str, float]
    version: Version | None

    def write(self, name: str, seconds: float) -> Write:
        """What must be written to note a Dream of the place `name`."""
        folder = state.place(self.store, "dreams")
        data = json.dumps({**self.times, name: seconds}, ensure_ascii=True, sort_keys=True, indent=0).encode() + b"\n"
        return Write(os.path.join(folder, FILE), data, folder, self.version, ours=True)


def read(store: Store) -> Last:
    """What is noted of a workspace; nothing of a file that cannot be read. Makes nothing."""
    path = os.path.join(store.folder, "dreams", FILE)
    try:
        version = read_version(path) if os.path.lexists(path) else None
        with open(path, "rb") as file:
            value = json.load(file)
    except FileNotFoundError:
        return Last(store, {}, None)
    except (OSError, ValueError, RecursionError):
        return Last(store, {}, version)
    found = value.items() if isinstance(value, dict) else ()
    return Last(store, {key: float(one) for key, one in found if type(one) in (int, float)}, version)
