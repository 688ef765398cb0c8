"""What waits in a journal: the entries behind Dream's position, by the format's own rule."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256

from memcli.core import entries, guarding, positions, sealing
from memcli.core.dream.feed import Feed, Origin, Said, cut
from memcli.core.dream.wishes import Limits
from memcli.core.entries import Damaged, Entry, Wish
from memcli.core.journals import Journal
from memcli.core.landing import Write
from memcli.errors import CannotRead, RefusedForSafety
from memcli.formats import dreaming
from memcli.storage import state as kept
from memcli.storage.versions import Version, read_version

MOST = 3000
"""So many entries are held at a time; `--all` reads on behind them."""
NOTES = 8
"""So many damaged lines are named."""


def read(journal: Journal, limits: Limits) -> Feed:
    """What waits in the journal. Raises CannotRead, RefusedForSafety where the position is another program's."""
    held = _held(journal)
    where, own = positions.position(journal)
    if where.dialect:
        raise RefusedForSafety(
            f"{where.path} holds {where.dialect}, as another program or version keeps its position; nothing was dreamt. "
            "'memcli dream --from sessions' does without it.",
            path=where.path,
            why="dialect",
        )
    facet = dreaming(journal.workspace.agent)
    waiting: list[tuple[int, int, Said]] = []
    notes: list[str] = []
    total = characters = 0
    most = 2 * MOST
    highest: int | None = None
    for one in entries.read([journal], Wish(pending=True)):
        if isinstance(one, Damaged):
            if len(notes) < NOTES:
                notes.append(f"{journal.shown}:{one.line} is passed over: {one.why}.")
            continue
        if one.number is None:
            continue
        highest = one.number if highest is None else max(highest, one.number)
        text = facet.said(one.record)
        if not text.strip():
            continue
        total += 1
        characters += len(text)
        said = _said(journal, one, text, limits)
        waiting.append((one.number, one.line, said))
        if len(waiting) > most:
            waiting = _oldest(waiting)
            most = 2 * len(waiting)
    oldest = _oldest(waiting)

    def until(taken: int) -> int:
        """The position behind the first `taken` entries: with all of them also behind what says nothing."""
        if taken >= len(oldest):
            return oldest[-1][0] if total > len(oldest) else (where.used or 0) if highest is None else highest
        return oldest[taken - 1][0] if taken else where.used or 0

    def writes(taken: int) -> Sequence[Write]:
        number = until(taken)
        if number <= (where.used or 0):
            return []
        workspace = journal.workspace
        root = guarding.root_of(workspace, where.path)
        if own:
            root = kept.place(sealing.store(workspace), positions.PLACE)
        return [Write(where.path, str(number).encode(), root, expected, ours=own)]

    expected = held.get(where.path)
    before = where.used or 0
    return Feed(
        "journal",
        journal.name,
        total,
        characters,
        [said for _, _, said in oldest],
        writes,
        lambda taken: f"{before}..{until(taken)}",
        tuple(notes),
    )


def _held(journal: Journal) -> dict[str, Version]:
    """The files that can tell the position, as they are before it is read: who sets it meanwhile, be it the agent, keeps the
    batch from being written. An own one that cannot be read says nothing."""
    found = {}
    for path in (journal.file.processed, positions.own_path(journal)):
        if path and os.path.lexists(path):
            try:
                found[path] = read_version(path)
            except CannotRead:
                if path == journal.file.processed:
                    raise
    return found


def _oldest(waiting: list[tuple[int, int, Said]]) -> list[tuple[int, int, Said]]:
    """The oldest MOST entries, and those that have the number of the last of them: a position behind it is behind them, too."""
    waiting.sort()
    count = min(MOST, len(waiting))
    while 0 < count < len(waiting) and waiting[count][0] == waiting[count - 1][0]:
        count += 1
    return waiting[:count]


def _said(journal: Journal, entry: Entry, text: str, limits: Limits) -> Said:
    content, left = cut(text, limits.entry_characters)
    assert entry.number is not None
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    origin = Origin("journal", journal.name, entry.number, entry.number, digest)
    return Said(entry.number, content, entry.record.timestamp or "", origin, left)
