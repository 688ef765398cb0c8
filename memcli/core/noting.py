"""Appending an entry to a journal as its agent would, so that no number is ever given twice or left out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memcli.core import guarding, journals, sealing, surroundings
from memcli.core.journals import Journal
from memcli.core.rows import decoded
from memcli.damage.framework import CursorState, RowsSnapshot
from memcli.errors import CannotWrite, RefusedForSafety, UsageError
from memcli.formats import habits, rules
from memcli.formats.facets import Note
from memcli.storage import undo
from memcli.storage.facts import NUMBER
from memcli.storage.lines import backward
from memcli.storage.locks import Lock, hold
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.state import Store
from memcli.storage.undo import Operation
from memcli.storage.versions import read_version

TRIES = 4
"""So often a number is taken anew when the agent wrote its counter meanwhile."""


class Noted(NamedTuple):
    """An entry that was appended: its number, 0 where the format gives none, the operation, the line as it was written."""

    journal: Journal
    number: int
    id: str
    line: bytes


def text_of(raw: bytes | str) -> str:
    """What is to be appended, without blank space at its end. Raises UsageError for nothing, and for what is no UTF-8."""
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw.encode().decode()
    except UnicodeError as error:
        raise UsageError("The text is not UTF-8; nothing was appended.") from error
    if not text.strip():
        raise UsageError("There is no text to append; agents pass over an empty entry.")
    return text.rstrip()


def append(journal: Journal, text: str, *, session: str = "", command: Sequence[str]) -> Noted:
    """Append an entry, holding the locks, on the disk when it returns; undo takes out just that entry.

    Counter and entry change together, the counter first: whoever is killed in between leaves no number that is given twice,
    and the next memcli that writes completes both. Raises UsageError for what the format cannot hold, RefusedForSafety for a
    journal with a torn end or held locks, CannotRead, CannotWrite; then nothing was appended, or the sentence says so.
    """
    _check(journal, text, session)
    for _ in range(TRIES - 1):
        try:
            return _append(journal, text, session, command)
        except RefusedForSafety as error:
            if error.facts.get("why") != "changed":
                raise
    return _append(journal, text, session, command)


def _append(journal: Journal, text: str, session: str, command: Sequence[str]) -> Noted:
    workspace, path = journal.workspace, journal.file.path
    store = sealing.store(workspace)
    files = [one for one in (path, journal.file.allocated) if one]
    with (
        undo.begin(
            store,
            "history append",
            command=command,
            agent=workspace.agent,
            locks=guarding.locks_of(workspace, files),
            beacons=guarding.beacons_of(workspace),
        ) as operation,
        alone(journal, store),
    ):
        number, line = enter(operation, journal, text, session=session, seconds=time.time())
        record = operation.commit()
    return Noted(journal, number, record.id, line)


def enter(operation: Operation, journal: Journal, text: str, *, session: str = "", seconds: float) -> tuple[int, bytes]:
    """Have an operation append an entry, within `alone`: its number and its line. Raises what `append` does."""
    workspace, path = journal.workspace, journal.file.path
    _check(journal, text, session)
    _check_end(journal)
    counter = surroundings.cursor_state(journal.file.allocated, rules(workspace.agent), processed=False)
    number = 0
    if counter is not None:
        number = _next(journal, counter, journals.rows(journal))
        _count(operation, journal, counter.path, number)
    line = journals.facet(journal).entry(path, Note(text, number, seconds, session))
    root = guarding.root_of(workspace, path)
    if journal.there:
        operation.append(path, line, root=root)
    else:
        operation.create(path, line + b"\n", root=root)
    return number, line


def _check(journal: Journal, text: str, session: str) -> None:
    """Refuse what an entry of this agent cannot be."""
    agent = journal.workspace.agent
    if session and not journals.facet(journal).NAMES_SESSIONS:
        raise UsageError(f"An entry of {agent}'s journal names no session; leave --session out. Nothing was appended.")
    cap = habits(agent).ENTRY_CAP
    if cap is not None and len(text) > cap:
        raise UsageError(
            f"{agent} cuts entries at {cap:,} characters, and this has {len(text):,}. Nothing was appended."
        )
    folder = os.path.dirname(journal.file.path)
    if not os.path.isdir(folder):
        raise CannotWrite(
            f"{folder} does not exist; the agent makes it when it first runs. Nothing was appended.",
            path=folder,
            in_place=False,
        )


@contextmanager
def alone(journal: Journal, store: Store) -> Iterator[None]:
    """Keep a memcli away that has another state folder, and with it another lock of its own."""
    lock = [Lock("flock", os.path.realpath(journal.file.path))] if journal.there else []
    with hold(lock, store=store):
        yield


def _check_end(journal: Journal) -> None:
    """Refuse a journal whose last line was cut off: an entry behind it would be lost with it. A whole record that only lacks
    its newline gets one with the append."""
    if not journal.there:
        return
    fd = open_regular(journal.file.path)
    try:
        last = next(backward(fd, os.fstat(fd).st_size), None)
    except OSError as error:
        raise unreadable(journal.file.path, error) from error
    finally:
        os.close(fd)
    if last is None or last.ended:
        return
    found = decoded(last)
    if found.flaw or not (found.values and isinstance(found.values[0], dict)):
        raise RefusedForSafety(
            f"The last line of {journal.shown} was cut off, and what is written behind it would be lost with it. Nothing was "
            "appended; 'memcli repair' mends it first.",
            path=journal.file.path,
            why="torn",
        )


def _next(journal: Journal, counter: CursorState, read: RowsSnapshot | None) -> int:
    """The number that the agent would give, unless an entry has it, or a larger one, already."""
    state = surroundings.journal_state(journal.file, read, rules(journal.workspace.agent))
    facts = read.facts if read else None
    given = [number for number, flag in zip(facts.ids, facts.flags, strict=True) if flag & NUMBER] if facts else []
    return max(state.upcoming or 1, max(given, default=0) + 1)


def _count(operation: Operation, journal: Journal, path: str, number: int) -> None:
    """Set the counter, for good: undo must not let the number be given again."""
    data, root = str(number).encode(), guarding.root_of(journal.workspace, path)
    if os.path.lexists(path):
        operation.rewrite(path, read_version(path), data, root=root, lasting=True)
    else:
        operation.create(path, data, root=root, lasting=True)
