"""How far Dream has come in a journal, and setting that: in the agent's file where it keeps one, else in memcli's own."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import guarding, journals, sealing, surroundings, waiting
from memcli.core.journals import Journal
from memcli.damage.framework import CursorState, JournalState
from memcli.damage.journals import is_numbered
from memcli.errors import RefusedForSafety, UsageError
from memcli.formats import rules
from memcli.formats.facets import Dreams
from memcli.storage import state as kept
from memcli.storage import undo
from memcli.storage.parts import Mtime
from memcli.storage.versions import read_version

PLACE = "cursors"
START, END = "start", "end"


class State(NamedTuple):
    """A journal with its cursors as they count for memcli: `own` tells that Dream's position is memcli's own, as the agent
    keeps none. `entries` and `pending` are numbers of entries, `pending` None where the position is another program's;
    `dreams` is what the agent itself would do."""

    journal: Journal
    journal_state: JournalState
    position: CursorState
    own: bool
    entries: int
    pending: int | None
    dreams: Dreams

    @property
    def beyond(self) -> bool:
        """Whether the position is beyond all that is there or was given a number: Dream finds nothing to do."""
        given = (self.journal_state.upcoming or 1) - 1
        return not self.position.dialect and (self.position.used or 0) > max(given, _end(self))


class Set(NamedTuple):
    """What setting a position did: `id` of the operation, "" where it was there already or was `refused`, in sentences."""

    journal: Journal
    path: str
    id: str
    old: int | None
    new: int
    own: bool
    timed: bool
    """The agent takes the file's time for that of its last Dream, and it was kept."""
    refused: Sequence[str] = ()


def position(journal: Journal) -> tuple[CursorState, bool]:
    """Where Dream has come to, and whether that is memcli's own note of it. An own one that is missing is 0."""
    rule = rules(journal.workspace.agent)
    theirs = surroundings.cursor_state(journal.file.processed, rule, processed=True)
    if theirs is not None and theirs.used is not None:
        return theirs, False
    path = own_path(journal)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(surroundings.CURSOR_LIMIT)
    except OSError:
        return CursorState(path, used=0), True
    number = int(text) if text.strip().isdecimal() and len(text) <= 18 else None
    return CursorState(path, text, number, "", number or 0), True


def own_path(journal: Journal) -> str:
    """memcli's own note for a journal, by where that is in its workspace."""
    from hashlib import sha256

    inside = os.path.relpath(os.path.realpath(journal.file.path), os.path.realpath(journal.workspace.root))
    name = sha256(os.fsencode(inside)).hexdigest()[:16]
    return os.path.join(sealing.store(journal.workspace).folder, PLACE, name)


def changed(journal: Journal) -> float | None:
    """When the agent's position file was changed last (epoch seconds); None where there is none."""
    try:
        return os.stat(journal.file.processed).st_mtime if journal.file.processed else None
    except OSError:
        return None


def state(journal: Journal, tz: str = "", now: float | None = None) -> State:
    """The journal and its cursors. Raises CannotRead."""
    read = journals.rows(journal, tz)
    rule = rules(journal.workspace.agent)
    found = surroundings.journal_state(journal.file, read, rule)
    where, own = position(journal)
    found = found._replace(processed=where)
    pending = waiting.entries(found)
    dreams = waiting.dreams(journal.workspace, journal.file, found, pending, time.time() if now is None else now)
    many = len(waiting.records(found))
    return State(journal, found, where, own, many, None if where.dialect else len(pending), dreams)


def target(found: State, wanted: str) -> int:
    """The position that `wanted` names: a number, "start" or "end". Raises UsageError for one beyond the journal, and where
    the file holds another program's position."""
    if found.position.dialect:
        raise UsageError(
            f"{found.position.path} holds {found.position.dialect}, as another program or version keeps its position. "
            "It was left as it is."
        )
    end = _end(found)
    if wanted == START:
        return found.journal_state.reset
    if wanted == END:
        return end
    if not (wanted.isascii() and wanted.isdecimal() and len(wanted) <= 18):
        raise UsageError(f"--set takes a number, {START} or {END}, and not {wanted!r}. Nothing was changed.")
    if int(wanted) > end:
        what = "records" if found.journal_state.counts == "records" else "numbers up to"
        there = f"{end:,} {what}" if what == "records" else f"{what} {end}"
        raise UsageError(
            f"{wanted} is beyond {found.journal.shown}, which has {there}: what comes next would never be dreamt. "
            "Nothing was changed."
        )
    return int(wanted)


def put(found: State, number: int, *, command: Sequence[str], idle: float, force_live: bool) -> Set:
    """Set the position, as an operation that undo takes back. Raises RefusedForSafety, CannotWrite."""
    journal, path, own = found.journal, found.position.path, found.own
    workspace = journal.workspace
    there = os.path.lexists(path)
    timed = journals.facet(journal).CLOCK
    done = Set(journal, path, "", found.position.used, number, own, timed)
    if found.position.number == number or (not there and found.position.used == number):
        return done
    if not own:
        refused = guarding.refusal(workspace, [path], idle, force_live, fresh=() if there else [path])
        if refused:
            return done._replace(refused=refused)
    store = sealing.store(workspace)
    with undo.begin(
        store,
        "history cursor",
        command=command,
        agent=workspace.agent,
        locks=[] if own else guarding.locks_of(workspace, [path]),
        beacons=[] if own else guarding.beacons_of(workspace),
    ) as operation:
        enter(operation, found, number)
        record = operation.commit()
    return done._replace(id=record.id if record.changes else "")


def enter(operation: undo.Operation, found: State, number: int) -> None:
    """Have an operation set the position. Raises CannotRead, RefusedForSafety where it is not what was `found` any more."""
    workspace, path = found.journal.workspace, found.position.path
    version = read_version(path) if os.path.lexists(path) else None
    if position(found.journal)[0].used != found.position.used:
        raise RefusedForSafety(
            f"{path} was set meanwhile. Nothing was changed; run this again.",
            path=os.path.realpath(path),
            why="changed",
        )
    root = kept.place(sealing.store(workspace), PLACE) if found.own else guarding.root_of(workspace, path)
    timed = journals.facet(found.journal).CLOCK
    data = str(number).encode()
    if version is not None:
        time_kept: Mtime = "keep" if timed else "now"
        operation.rewrite(path, version, data, root=root, mtime=time_kept)
    else:  # a missing one is a Dream that never was: a time of now would keep the agent from it
        never: Mtime = 0 if timed else "now"
        operation.create(path, data, root=root, mtime=never)


def _end(found: State) -> int:
    """The position behind the last entry."""
    if found.journal_state.counts == "records":
        return found.entries
    rows = found.journal_state.snapshot
    facts = rows.facts if rows else None
    given = [n for n, flag in zip(facts.ids, facts.flags, strict=True) if is_numbered(flag)] if facts else []
    return max(given, default=found.journal_state.reset)
