"""The header of two copies put together: that of A, with the earlier start, the later change and a title if it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli import times
from memcli.core.comparing import Member, differing
from memcli.core.moving import Move
from memcli.core.sides import Side
from memcli.damage.entries import member_place

CREATED, UPDATED = ("created_at",), ("updated_at",)


class Heading(NamedTuple):
    """A header line without its newline, and the members that are not what they were. `newer` tells that the later change
    is that of B."""

    line: bytes
    changed: Sequence[Member]
    newer: bool = False


def merged(a: Side, b: Side, move: Move, tz: str = "") -> Heading | None:
    """The header line that A gets; None when A has none. `move` says how a number that counts rows moves."""
    line = a.header_line
    if line is None or line.raw is None:
        return None
    raw = line.raw
    values: dict[tuple[str, ...], Any] = {}
    newer = False
    if b.header:
        values, newer = _from_other(a, b, tz)
    for name in a.rules.ROWS.offsets:
        old = a.header.get(name)
        if isinstance(old, int) and not isinstance(old, bool) and move(old) != old:
            values[(name,)] = move(old)
    for path, value in values.items():
        raw = with_member(raw, path, value)
    return Heading(raw, _changes(a.header, values), newer)


def with_member(line: bytes, path: Sequence[str], value: Any) -> bytes:
    """An object's JSON with another value of the member at `path`, put in where there is none; no other byte changes. What is
    no object stays as it is."""
    import json

    name, *inner = path
    compact = b'": ' not in line
    place = member_place(line, name)
    if inner:
        old = line[place[0] : place[1]] if place else b"{}"
        text = with_member(old if old.startswith(b"{") else b"{}", inner, value)
    else:
        separators = (",", ":") if compact else (", ", ": ")
        text = json.dumps(value, ensure_ascii=False, separators=separators).encode("utf-8", "surrogatepass")
    if place:
        return line[: place[0]] + text + line[place[1] :]
    start = line.find(b"{") + 1
    if not start:
        return line
    colon, comma = (b":", b",") if compact else (b": ", b", ")
    more = b"" if line[start:].lstrip()[:1] == b"}" else comma
    return line[:start] + json.dumps(name).encode() + colon + text + more + line[start:]


def _from_other(a: Side, b: Side, tz: str) -> tuple[dict[tuple[str, ...], Any], bool]:
    """The members that come from the header of B, and whether B was changed later."""
    mine, its = a.form.records.header(a.header), b.form.records.header(b.header)
    rules = a.rules.header_rules(a.ref.workspace.era)
    values: dict[tuple[str, ...], Any] = {}
    if mine is None or its is None or rules is None:
        return values, False
    created = [times.parse(one.created_at, tz) for one in (mine, its)]
    if created[1] is not None and (created[0] is None or created[1] < created[0]):
        values[CREATED] = its.created_at
    updated = [times.parse(one.updated_at, tz) for one in (mine, its)]
    newer = updated[1] is not None and (updated[0] is None or updated[1] > updated[0])
    if newer:
        values[UPDATED] = its.updated_at
        values |= {(name,): b.header[name] for name in rules.newest if b.header.get(name)}
    if its.title and not mine.title:
        values[rules.title] = its.title
    return values, newer


def _changes(header: Mapping[str, Any], values: Mapping[tuple[str, ...], Any]) -> list[Member]:
    """The members that change, by their path."""
    found = []
    for path, value in values.items():
        old: Any = header
        for name in path:
            old = old.get(name, ...) if isinstance(old, dict) else ...
        found += [one._replace(name=".".join(path)) for one in differing({"": old}, {"": value})]
    return found
