"""When memcli dreamt last, by the place that it read: a small file in the state folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memcli.core.dream import noted
from memcli.core.dream.noted import Noted
from memcli.core.landing import Write
from memcli.storage.state import Store

FILE = "last.json"


class Last(NamedTuple):
    """When each place was dreamt last (epoch seconds), and the file that says so."""

    times: Mapping[str, float]
    file: Noted

    def write(self, name: str, seconds: float) -> Write:
        """What must be written to note a Dream of the place `name`."""
        return self.file.write({**self.times, name: seconds})


def read(store: Store) -> Last:
    """What is noted of a workspace; nothing of a file that cannot be read. Makes nothing."""
    file = noted.read(store, FILE)
    return Last({key: float(one) for key, one in file.values.items() if type(one) in (int, float)}, file)
