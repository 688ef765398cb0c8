"""Records that name the one that they follow: links that lead nowhere or in a circle, and what the last one reaches."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from memcli.damage.entries import is_message
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import TEXT, Facts

SCOPE = "rows"
CLASSES = (
    Class(
        "broken-parent",
        "a link that leads nowhere",
        "warning",
        "report",
        looks="A record names a parent that no record of the file is.",
        does="Nothing; tells how many records the last one still reaches.",
        lost="The record that is missing, and from the agent's view all that comes before it.",
    ),
    Class(
        "parent-cycle",
        "links that go round in a circle",
        "error",
        "report",
        looks="Following the parents of a record leads back to it.",
        does="Nothing; tells how many records the last one still reaches.",
    ),
    Class(
        "hidden-branch",
        "records that the last one does not reach",
        "info",
        "report",
        looks="Records stand on another branch than the last one: an edited question, or a broken link.",
        does="Nothing; tells how many.",
    ),
)
BROKEN, CYCLE, HIDDEN = CLASSES
NOWHERE = -1
ROOT = -2


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """At most one finding of each class, for the whole file."""
    facts = snapshot.facts
    if not snapshot.rules.linked or not facts.link_entries:
        return
    parents = _parents(facts)
    broken = [entry for entry, parent in parents.items() if parent == NOWHERE]
    last = next((entry for entry in range(len(facts) - 1, -1, -1) if facts.flags[entry] & TEXT), None)
    if last is None:
        return
    seen, cycle = _walk(facts, parents, last)
    reached = sum(
        1 for flag, found in zip(facts.flags, seen, strict=True) if found and flag & TEXT and is_message(flag)
    )
    total = sum(1 for flag in facts.flags if flag & TEXT and is_message(flag))
    reach = f"The last record still reaches {reached:,} of {total:,}."
    data = {"reached": reached, "total": total}
    if broken:
        verb = "names" if len(broken) == 1 else "name"
        message = f"{count(len(broken), 'record')} {verb} a parent that is not in the file, the first is row "
        message += f"{facts.row(broken[0])}. {reach}"
        yield BROKEN.finding(snapshot.path, message, data={**data, "links": len(broken)}, **snapshot.place(broken[0]))
    if cycle is None:
        cycle = _any_cycle(facts, parents)
    if cycle is not None:
        message = f"The parents of row {facts.row(cycle)} lead back to it. {reach}"
        yield CYCLE.finding(snapshot.path, message, data=data, **snapshot.place(cycle))
    if reached < total:
        message = (
            f"{count(total - reached, 'record')} {'is' if total - reached == 1 else 'are'} on other branches. {reach}"
        )
        yield HIDDEN.finding(snapshot.path, message, data=data)


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def _parents(facts: Facts) -> dict[int, int]:
    """Entry -> entry of its parent, where that is not the one before; NOWHERE when it is missing, ROOT without parent."""
    wanted = set(facts.link_parents)
    found: dict[int, list[int]] = {}
    for entry, identity in enumerate(facts.ids):
        if identity in wanted and facts.flags[entry] & TEXT:
            found.setdefault(identity, []).append(entry)
    parents = {}
    for entry, parent in zip(facts.link_entries, facts.link_parents, strict=True):
        places = found.get(parent)
        if not parent:
            parents[entry] = ROOT
        elif places:  # of several with one id, the nearest before
            parents[entry] = max((place for place in places if place < entry), default=places[0])
        else:
            parents[entry] = NOWHERE
    return parents


class _Walked(NamedTuple):
    seen: bytearray
    cycle: int | None


def _walk(facts: Facts, parents: dict[int, int], start: int) -> _Walked:
    """Follow the parents from `start`; `seen` has a 1 for each record reached."""
    seen = bytearray(len(facts))
    entry = start
    while entry >= 0:
        if seen[entry]:
            return _Walked(seen, entry)
        seen[entry] = 1
        entry = parents.get(entry, entry - 1)
    return _Walked(seen, None)


def _any_cycle(facts: Facts, parents: dict[int, int]) -> int | None:
    """An entry on a circle; each circle has a link that goes forward, or to itself."""
    done = bytearray(len(facts))
    for start, parent in parents.items():
        if parent < start:
            continue
        path = array("I")
        entry = start
        while entry >= 0 and not done[entry]:
            done[entry] = 1
            path.append(entry)
            entry = parents.get(entry, entry - 1)
        if entry >= 0 and entry in path:
            return entry
    return None
