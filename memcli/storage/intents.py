"""Changes of several files as one: an intent is published before the first, and whoever writes next finishes it.

After a kill at any moment and the next start, all files are old or all are new. Source: reliability.md 3.5.
"""

from __future__ import annotations

from typing import NamedTuple

from memcli.storage.state import Store


class Recovered(NamedTuple):
    """What became of an operation that was interrupted: `outcome` is "finished" (all new), "dropped" (all old) or
    "conflict" (a file is neither: somebody else wrote it); `sentence` says it."""

    id: str
    outcome: str
    sentence: str


def recover(store: Store) -> list[Recovered]:
    """Finish or drop what an interrupted memcli left open in the workspace of `store`, whose lock the caller holds.

    Raises RefusedForSafety on a conflict: nothing more is changed, every copy is kept, and the operation can be
    looked at with `memcli undo --list`.
    """
    raise NotImplementedError
