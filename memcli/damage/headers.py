"""Building a session's header anew, from its rows, from what is left of the old one, and from the file's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

from memcli.damage.snapshots import HeaderSnapshot
from memcli.storage.facts import HeaderFacts


class Rebuilt(NamedTuple):
    """A header without newline, and where its members came from; `text` is None when the session's key is not known."""

    text: bytes | None
    said: str


def rebuilt(snapshot: HeaderSnapshot, torn: bytes = b"", known: dict[str, Any] | None = None) -> Rebuilt:
    """The header that the rules of the format give. `torn` is what is left of the old one, `known` what is known of it.

    The key is that of the torn header, else the one that all rows name, else what the file's name tells beyond doubt. The
    times are those of the torn header, else the earliest and the latest of the rows, else the file's own.
    """
    members = known or (snapshot.members(torn) if torn else {})
    key, source = _key(snapshot, members)
    if not key:
        return Rebuilt(
            None, "Which session this is cannot be told: the rows do not agree on a key, and neither does the name."
        )
    created, updated, times = _times(snapshot)
    facts = HeaderFacts(
        key=key,
        created=created,
        updated=updated,
        preview=snapshot.preview(),
        rows=snapshot.rows.facts.rows if snapshot.rows else 0,
        members=members,
    )
    kept = f"; {', '.join(members)} could be read in what is left of the old one" if members else ""
    titled = "" if members.get("title") else ", a title is lost"
    said = f"It can be built anew: the key from {source}, the times from {times}{kept}{titled}."
    return Rebuilt(snapshot.rules.build(facts), said)


def _key(snapshot: HeaderSnapshot, members: dict[str, Any]) -> tuple[str, str]:
    key = members.get("key")
    if isinstance(key, str) and key:
        return key, "what is left of the header"
    owners = {owner for owner in snapshot.rows.facts.owners if owner} if snapshot.rows else set()
    if len(owners) == 1:
        return owners.pop(), "the rows"
    if owners:
        fitting = [owner for owner in owners if snapshot.expected(owner) == snapshot.name]
        return (fitting[0], "the rows that fit the file's name") if len(fitting) == 1 else ("", "")
    return snapshot.told, "the file's name"


def _times(snapshot: HeaderSnapshot) -> tuple[str, str, str]:
    """(created, updated, where they are from)."""
    rows = snapshot.rows
    if rows is not None:
        first, last = min(_known(rows.facts.times), default=None), max(_known(rows.facts.times), default=None)
        if first and last:
            earliest, latest = snapshot.stamp(first[1]), snapshot.stamp(last[1])
            if earliest and latest:
                return earliest, latest, "the rows"
    return snapshot.changed, snapshot.changed, "the file itself"


def _known(times: Sequence[float]) -> Iterator[tuple[float, int]]:
    """The times that are known, with the entries that have them, one at a time: there can be millions."""
    return ((seconds, entry) for entry, seconds in enumerate(times) if not isnan(seconds))
