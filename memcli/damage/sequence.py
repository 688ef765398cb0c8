"""Holes in the numbers of rows, rows that were cut off in front, and times that go back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import lt
from typing import NamedTuple

from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import NUMBER, UNREAD, Facts

SCOPE = "rows"
CLASSES = (
    Class(
        "id-gap",
        "numbers are missing inside",
        "info",
        "report",
        looks="The ids of two rows that follow each other are more than one apart.",
        does="Nothing; tells how many rows are missing at most. Unreadable rows in the hole are not counted as missing.",
        lost="The missing rows, if there ever were any: an agent may skip numbers.",
    ),
    Class(
        "trimmed",
        "the first rows are gone",
        "info",
        "report",
        looks="The first id is greater than one.",
        does="Nothing; tells how many rows came before, and whether the agent's own limit explains it.",
        lost="Nothing by memcli.",
    ),
    Class(
        "time-regression",
        "times go back",
        "info",
        "report",
        looks="A row is older than the row before it.",
        does="Nothing: the order in the file is the truth, clocks are set back.",
    ),
)
GAP, TRIMMED, BACK = CLASSES


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """At most one finding of each class, for the whole file."""
    facts = snapshot.facts
    if snapshot.rules.numbered and len(facts):
        yield from _trimmed(snapshot)
        gaps = _gaps(facts)
        if gaps.rows:
            message = f"{count(gaps.rows, 'number')} {'is' if gaps.rows == 1 else 'are'} missing in {count(gaps.holes, 'place')}"
            message += f"; the first before row {facts.row(gaps.entry)}."
            data = {"missing": gaps.rows, "holes": gaps.holes}
            yield GAP.finding(snapshot.path, message, data=data, **snapshot.place(gaps.entry))
    times = facts.times
    if any(map(lt, islice(times, 1, None), times)):
        back = [entry for entry in range(1, len(times)) if times[entry] < times[entry - 1]]
        most = max(times[entry - 1] - times[entry] for entry in back)
        message = (
            f"{count(len(back), 'row')} {'is' if len(back) == 1 else 'are'} older than the row before, the first is row "
            f"{facts.row(back[0])}; the longest way back is {_duration(most)}."
        )
        yield BACK.finding(snapshot.path, message, data={"rows": len(back), "most": most}, **snapshot.place(back[0]))


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


class _Gaps(NamedTuple):
    rows: int = 0
    holes: int = 0
    entry: int = 0


def _trimmed(snapshot: RowsSnapshot) -> Iterator[Finding]:
    facts, cap = snapshot.facts, snapshot.rules.cap
    entry = next((entry for entry in range(len(facts)) if facts.flags[entry] & NUMBER), None)
    if entry is None or facts.ids[entry] - 1 <= entry:  # unreadable rows before it may be those that seem to be missing
        return
    gone = facts.ids[entry] - 1 - entry
    message = (
        f"The first number is {facts.ids[entry]}: {count(gone, 'row')} before it {'is' if gone == 1 else 'are'} gone."
    )
    if cap is not None:
        enough = facts.rows >= cap
        message += f" The agent keeps the last {cap:,} rows" + (
            "." if enough else f", and here are {facts.rows:,}: it was not the agent's limit alone that took them."
        )
    yield TRIMMED.finding(snapshot.path, message, data={"missing": gone}, **snapshot.place(entry))


def _gaps(facts: Facts) -> _Gaps:
    """The numbers that are missing between two rows, unreadable rows in between taken off."""
    ids, flags = facts.ids, facts.flags
    count_all = len(ids)
    if flags[0] & NUMBER and ids[-1] - ids[0] == count_all - 1 and all(map(lt, ids, islice(ids, 1, None))):
        return _Gaps()
    rows = holes = place = unread = 0
    last: int | None = None
    for entry in range(count_all):
        if flags[entry] & UNREAD:
            unread += 1
        elif flags[entry] & NUMBER:
            number = ids[entry]
            missing = 0 if last is None else number - last - 1 - unread
            if missing > 0:
                rows += missing
                holes += 1
                place = place or entry
            last, unread = number, 0
    return _Gaps(rows, holes, place)


def _duration(seconds: float) -> str:
    for size, noun in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            return count(int(seconds // size), noun)
    return f"{seconds * 1000:.0f} ms"
