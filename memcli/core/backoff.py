"""Waiting longer after each failure, per key, between runs: 5, 10, 20 … minutes, at most a day, until it succeeds.

Kept in the state folder, one file for each workspace. An agent that does the same has this base; its count starts anew
whenever a wait is over, so that it never gets beyond the first five minutes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from memcli.storage import state
from memcli.storage.locks import own
from memcli.storage.state import Store

FILE = "backoff.json"
BASE = 5 * 60.0
"""Seconds of waiting after the first failure; each further one doubles them."""
MOST = 24 * 3600.0
"""Seconds that nothing waits longer than."""
ASIDE = 5
"""After so many failures in a row a key is set aside."""
FORGOTTEN = 90 * 24 * 3600.0
"""Seconds after which a failure is forgotten: what it was about may be gone, and the file must not grow."""


class Failure(NamedTuple):
    """How often something failed in a row, and when last (epoch seconds)."""

    times: int
    at: float

    @property
    def wait(self) -> float:
        """Seconds from the last failure to the next try."""
        return float(min(MOST, BASE * 2 ** min(self.times - 1, 20)))


class Backoff:
    """What failed in one workspace. A key says what and whose: `dream:41`, `compact:desktop:main`.

    `failed` and `succeeded` take memcli's own lock and write at once, so that a kill forgets nothing and two runs do not
    forget for each other; the caller is within no Operation. They raise CannotWrite, RefusedForSafety.
    """

    def __init__(self, store: Store, failures: dict[str, Failure] | None = None) -> None:
        self.store = store
        self.failures = dict(failures or {})

    @classmethod
    def read(cls, store: Store) -> Backoff:
        """The failures of a workspace; none where there is no file, or none that can be read. Makes nothing."""
        return cls(store, _read(store))

    def waits(self, key: str, now: float) -> float:
        """Seconds until `key` may be tried, 0 when it may be now. A clock that was set back makes no wait longer."""
        failure = self.failures.get(key)
        if failure is None:
            return 0.0
        return min(failure.wait, max(0.0, failure.at + failure.wait - now))

    def set_aside(self, key: str) -> bool:
        """Whether `key` failed so often in a row that it is better left out until somebody looks at it."""
        failure = self.failures.get(key)
        return failure is not None and failure.times >= ASIDE

    def failed(self, key: str, now: float, *, own: bool = True) -> float:
        """Note a failure of `key`; the seconds until the next try. One that is not its `own` (a full disk) sets nothing aside."""

        def change(failures: dict[str, Failure]) -> None:
            before = failures.get(key)
            times = before.times if before else 0
            failures[key] = Failure(times + 1 if own or times + 1 < ASIDE else max(times, 1), now)
            for old in [name for name, one in failures.items() if now - one.at > FORGOTTEN]:
                del failures[old]

        self._write(change)
        return self.failures[key].wait

    def succeeded(self, key: str) -> None:
        """Forget the failures of `key`; nothing is written when there were none."""
        if key in self.failures or key in _read(self.store):
            self._write(lambda failures: failures.pop(key, None))

    def _write(self, change: Callable[[dict[str, Failure]], object]) -> None:
        """Change the failures as they are now in the file, which another run may have written since."""
        import json

        with own(self.store):
            path = os.path.join(state.place(self.store, "dreams"), FILE)
            failures = _read(self.store)
            change(failures)
            value = {name: {"failures": one.times, "at": one.at} for name, one in sorted(failures.items())}
            with state.telling(path):
                state.write_file(path, json.dumps(value, ensure_ascii=True, indent=1).encode() + b"\n", alone=True)
        self.failures = failures


def _read(store: Store) -> dict[str, Failure]:
    import json

    try:
        with open(os.path.join(store.folder, "dreams", FILE), "rb") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: failure for name, one in value.items() if (failure := _failure(one)) is not None}


def _failure(value: object) -> Failure | None:
    """A failure as it stands in the file; None for anything else, a time that is no number included."""
    if not isinstance(value, dict):
        return None
    count, at = value.get("failures"), value.get("at")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        return None
    if isinstance(at, bool) or not isinstance(at, int | float) or not abs(at) < 1e12:
        return None
    return Failure(count, float(at))
