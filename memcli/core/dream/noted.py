"""Small files of what memcli notes about Dream, in the state folder: written together with what they tell of."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from memcli.core.landing import Write
from memcli.storage import state
from memcli.storage.state import Store
from memcli.storage.versions import Version, read_version


class Noted(NamedTuple):
    """One file: its members, {} of one that is missing or damaged, and the version of it, None where there is none."""

    store: Store
    name: str
    values: Mapping[str, Any]
    version: Version | None

    def write(self, values: Mapping[str, Any]) -> Write:
        """What must be written for it to hold these members. Raises CannotWrite."""
        folder = state.place(self.store, "dreams")
        data = json.dumps(values, ensure_ascii=True, sort_keys=True).encode() + b"\n"
        return Write(os.path.join(folder, self.name), data, folder, self.version, ours=True)


def read(store: Store, name: str) -> Noted:
    """The file called `name`. Makes nothing."""
    path = os.path.join(store.folder, "dreams", name)
    version = None
    try:
        version = read_version(path) if os.path.lexists(path) else None
        with open(path, "rb") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return Noted(store, name, {}, version)
    return Noted(store, name, value if isinstance(value, dict) else {}, version)
