"""What waits in the sessions of a workspace: the turns behind each session's mark, the oldest first."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Generator, Sequence
from contextlib import closing
from heapq import heapify, heappushpop
from typing import NamedTuple

from memcli import times
from memcli.core import listing, row_marks, rows, sealing, states
from memcli.core.dream import marks
from memcli.core.dream.feed import Feed, Origin, Said, cut
from memcli.core.dream.marks import Mark, Marks
from memcli.core.dream.wishes import Limits
from memcli.core.landing import Write
from memcli.core.rows import Row
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import Record, Workspace
from memcli.storage.reading import open_regular, unreadable

MOST = 3000
"""So many turns are held at a time."""
ASKED, ANSWERED = "user", "assistant"


class _Turn(NamedTuple):
    """What somebody asked and the agent answered: `when` sorts turns of several sessions (never before an earlier turn of the
    same one), `tail` are the digests of the session's last rows up to the turn's end. `content` is no longer than an entry may
    be, `length` is what there was; `digest` is that of its rows."""

    when: float
    key: str
    first: int
    last: int
    content: str
    length: int
    at: str
    tail: tuple[str, ...]
    digest: str


class _Row(NamedTuple):
    """One row of a turn: `text` is as much of it as can be in an entry, `length` how much there was."""

    number: int
    digest: str
    asks: bool
    at: str
    text: str
    length: int


class _Session(NamedTuple):
    key: str
    size: int
    mtime_ns: int
    last: int
    """The number of the last turn's last row."""


def read(workspace: Workspace, limits: Limits, tz: str = "") -> Feed:
    """What waits in the sessions. A session that cannot be read is named and passed over; the last turn of one in which somebody
    is talking waits until it is over."""
    known = marks.read(sealing.store(workspace))
    notes: list[str] = []
    held: list[tuple[tuple[float, str, int], _Turn]] = []
    ends: dict[str, _Session] = {}
    live: list[str] = []
    total = characters = 0
    silence = states.limits()
    for path in listing.paths(workspace):
        key = load(workspace.agent).layout.key_of(workspace, path)
        if _is_inner(workspace, key):
            continue
        try:
            for turn in _turns(workspace, path, key, known.by_session.get(key), ends, live, silence, limits, tz):
                total += 1
                characters += turn.length
                held = _hold(held, turn)
        except CannotRead as error:
            notes.append(f"{listing.shown(workspace, path)} is passed over: {error.facts['why']}.")
    if live:
        names = ", ".join(live[:3]) + (f" and {len(live) - 3:,} more" if len(live) > 3 else "")
        notes.insert(0, f"Still going on, so that the last turn waits for {silence.live:g} quiet seconds: {names}.")
    oldest = [turn for _, turn in sorted(held, key=lambda pair: _order(pair[1]))]
    said = [_said(number, turn) for number, turn in enumerate(oldest, 1)]

    def taken(count: int) -> Sequence[Write]:
        return _written(known, oldest[:count], ends)

    return Feed(
        "sessions",
        "sessions",
        total,
        characters,
        said,
        taken,
        lambda count: f"{count} of {total} turns",
        tuple(notes[:8]),
    )


def first_waiting(workspace: Workspace, path: str) -> int | None:
    """The number of the first row of a session that waits for Dream; None where none does, and where Dream has never read the
    sessions of the workspace. Raises CannotRead."""
    known = marks.read(sealing.store(workspace)).by_session
    key = load(workspace.agent).layout.key_of(workspace, path)
    if not known or _is_inner(workspace, key):
        return None
    with closing(_turns(workspace, path, key, known.get(key), {}, [], states.limits(), Limits(), "")) as turns:
        return next((turn.first for turn in turns), None)


def _order(turn: _Turn) -> tuple[float, str, int]:
    return turn.when, turn.key, turn.first


def _hold(held: list[tuple[tuple[float, str, int], _Turn]], turn: _Turn) -> list[tuple[tuple[float, str, int], _Turn]]:
    """The oldest MOST turns, as a heap of which the newest is first."""
    rank = (-turn.when, _reversed(turn.key), -turn.first)
    if len(held) < MOST:
        held.append((rank, turn))
        if len(held) == MOST:
            heapify(held)
        return held
    heappushpop(held, (rank, turn))
    return held


def _reversed(key: str) -> str:
    """A text that sorts against the order of `key`."""
    return "".join(chr(0x10FFFF - ord(character)) for character in key) + "\U0010ffff"


def _is_inner(workspace: Workspace, key: str) -> bool:
    """Whether a session is the agent's own work on its memory, and nobody's chat."""
    from memcli.formats import dreaming

    return dreaming(workspace.agent).inner(key)


def _turns(
    workspace: Workspace,
    path: str,
    key: str,
    mark: Mark | None,
    ends: dict[str, _Session],
    live: list[str],
    silence: states.Limits,
    limits: Limits,
    tz: str,
) -> Generator[_Turn, None, None]:
    """The turns of a session that were not read. What else came out of it is added to `ends`, or to `live` where its last turn is
    left for later."""
    fd = open_regular(path)
    try:
        status = os.fstat(fd)
        if mark and mark.size == status.st_size and mark.mtime_ns == status.st_mtime_ns:
            return
        form = load(workspace.agent)
        start, goes_on = _behind(fd, workspace, mark, status.st_size)
        turn: list[_Row] = []
        tail: list[str] = list(mark.tail) if mark and start else []
        when = 0.0
        pending: _Turn | None = None
        for row in rows.read(fd, form, end=status.st_size):
            if row.number == 0 or row.line.raw is None:
                continue
            spoken = next((one for one in rows.records(form, row.decoded)), None)
            if row.number <= start:
                when = max(when, times.parse(spoken.timestamp, tz) or 0.0) if spoken else when
                continue
            if spoken and spoken.role == ASKED and turn:
                pending = _turn(key, turn, tail, when, limits, goes_on=goes_on)
                when = pending.when
                if pending.content:
                    yield pending
                tail, turn, goes_on = list(pending.tail), [], False
            turn.append(_row(row, spoken or Record(), limits))
            if spoken:
                when = max(when, times.parse(spoken.timestamp, tz) or 0.0)
        if not turn:
            return
        last = _turn(key, turn, tail, when, limits, goes_on=goes_on)
        now = time.time()
        changed = states.latest((status.st_mtime, when), now)
        if states.state(states.Facts(changed), now, silence) == states.LIVE:
            live += [key] if last.content else []
            return
        ends[key] = _Session(key, status.st_size, status.st_mtime_ns, last.last)
        if last.content:
            yield last
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(fd)


def _behind(fd: int, workspace: Workspace, mark: Mark | None, size: int) -> tuple[int, bool]:
    """The number of the last row that was read: the newest of those remembered that is still there. Of rows that the agent
    changed since nothing is read twice but what came behind the last one that it left. And whether that is the very last."""
    if mark is None or not mark.tail:
        return 0, False
    numbers, digests = array("q"), []
    for row in rows.read(fd, load(workspace.agent), end=size):
        if row.number and row.line.raw is not None:
            numbers.append(row.number)
            digests.append(_digest(row))
    count = row_marks.locate(mark.tail, mark.row, digests)
    return (numbers[count - 1], digests[count - 1] == mark.tail[-1]) if count else (0, False)


def _digest(row: Row) -> str:
    """What a row is known by."""
    assert row.line.raw is not None
    values = row.decoded.values
    return row_marks.digest(values[0] if values else row.line.raw.decode("utf-8", "replace"), row.line.raw)


def _row(row: Row, record: Record, limits: Limits) -> _Row:
    said = record.content.strip() if record.role in (ASKED, ANSWERED) else ""
    text = f"[{record.role}] {said}" if said else ""
    most = limits.entry_characters
    return _Row(row.number, _digest(row), record.role == ASKED, record.timestamp or "", text[:most], len(text))


def _turn(key: str, turn: list[_Row], tail: list[str], when: float, limits: Limits, *, goes_on: bool) -> _Turn:
    """The rows as a turn; what nobody asked for says nothing, unless it `goes_on` with a turn that was read before it was over:
    an answer that took its time."""
    pieces = [row for row in turn if row.text]
    told = goes_on or any(row.asks for row in turn)
    content, _ = cut("\n".join(row.text for row in pieces) if told else "", limits.entry_characters)
    return _Turn(
        when,
        key,
        turn[0].number,
        turn[-1].number,
        content,
        sum(row.length for row in pieces) + len(pieces) - 1 if content else 0,
        next((row.at for row in turn if row.at), ""),
        (*tail, *(row.digest for row in turn))[-row_marks.KEPT :],
        row_marks.digest([row.digest for row in turn], b""),
    )


def _said(number: int, turn: _Turn) -> Said:
    origin = Origin("session", turn.key, turn.first, turn.last, turn.digest)
    return Said(number, turn.content, turn.at, origin, turn.length - len(turn.content))


def _written(known: Marks, turns: Sequence[_Turn], ends: dict[str, _Session]) -> Sequence[Write]:
    """The marks behind these turns."""
    changed: dict[str, Mark] = {}
    for turn in turns:
        changed[turn.key] = Mark(turn.last, turn.tail, turn.at)
    for key, mark in changed.items():
        end = ends.get(key)
        if end and end.last == mark.row:
            changed[key] = mark._replace(size=end.size, mtime_ns=end.mtime_ns)
    return known.write(changed)
