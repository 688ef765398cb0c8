"""Other files that hold a number of rows: the checkpoint beside a session, the cursor of a journal that counts records."""

from __future__ import annotations

import os

from memcli.core.drafts import Draft, read_at
from memcli.core.items import MOVED, Item, Shown
from memcli.core.mending import Mending
from memcli.core.moving import Move, together
from memcli.damage.entries import member_place
from memcli.errors import CannotRead
from memcli.formats.facets import JournalFile
from memcli.formats.protocols import Rules
from memcli.model import Edit, Finding
from memcli.storage.lines import MAX_LINE

CURSOR = 4096
"""A cursor file is read so far."""


def checkpoint(move: Move, path: str, member: str, shown: str) -> tuple[Draft, Item] | None:
    """The draft of the file at `path` in which `member` counts the messages of a session, as `move` moves their number; None
    when it stays.

    Raises RefusedForSafety when it changes meanwhile.
    """
    import json

    try:
        draft = Draft(path)
        raw = read_at(path, 0, MAX_LINE)
        value = json.loads(raw)
    except (CannotRead, OSError, ValueError, RecursionError):
        return None
    old = value.get(member) if isinstance(value, dict) else None
    place = member_place(raw, member)
    if not isinstance(old, int) or isinstance(old, bool) or place is None:
        return None
    new = move(old)
    if new == old:
        return None
    edit = Edit(place[0], place[1] - place[0], b"%d" % new, MOVED)
    draft.make([edit])
    message = f"{member} moves with the rows that it counts: from {old} to {new}."
    finding = Finding(shown, MOVED, "info", "safe", message, offset=place[0])
    edited = Shown(place[0], raw[place[0] : place[1]], edit.replacement, edit.length, len(edit.replacement))
    return draft, Item(finding, "mend", "", (edited,))


def cursor(mending: Mending | None, journal: JournalFile, rules: Rules) -> tuple[int, int] | None:
    """What the cursor of a mended journal is and is to be, where it counts records; None when it stays."""
    path = journal.processed
    if rules.CURSORS != "records" or mending is None or not mending.moves or path is None or not os.path.isfile(path):
        return None
    try:
        old = rules.cursor(read_at(path, 0, CURSOR).decode("utf-8", "replace"))
    except (CannotRead, OSError):
        return None
    if old is None or old < 0:
        return None
    new = together(mending.moves)(old)
    return None if new == old else (old, new)
