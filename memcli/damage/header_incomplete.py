"""A header without a member that the agent cannot do without, or with one that it cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder, dumps
from typing import Any

from memcli.damage.framework import Class
from memcli.damage.headers import rebuilt
from memcli.damage.snapshots import HeaderSnapshot
from memcli.model import Action, Edit, Finding, Line

SCOPE = "header"
CLASSES = (
    Class(
        "header-incomplete",
        "a member of the header is missing or unreadable",
        "error",
        "safe",
        looks="The header lacks a member without which the agent's list or load breaks, or has null in its place, or a time "
        "that is no date.",
        does="Adds just that member: the key from the rows or the name, a time from the rows; all other bytes stay.",
    ),
)


def detect(snapshot: HeaderSnapshot) -> Iterator[Finding]:
    """One finding for all members that are missing."""
    for line, value in snapshot.headers[-1:] if snapshot.rules.last_wins else snapshot.headers[:1]:
        missing = [name for name in snapshot.rules.needed if not isinstance(value.get(name), str) or not value[name]]
        odd = [name for name in value if name not in missing and not snapshot.rules.fits(name, value[name])]
        if missing or odd:
            found = rebuilt(snapshot, known=_sound(snapshot, value))
            said = [f"The header has no {' and '.join(missing)}."] if missing else []
            said += [f"The header's {' and '.join(odd)} cannot be read."] if odd else []
            message = " ".join((*said, _TOLD[bool(odd)] if found.text else found.said))
            missing += odd
            repair = "safe" if found.text else "report"
            place = {"line": line.number, "offset": line.offset, "length": line.length}
            yield CLASSES[0].finding(snapshot.path, message, repair=repair, data={"missing": missing}, **place)


def mend(snapshot: HeaderSnapshot, finding: Finding) -> list[Edit | Action]:
    """Add what is missing, in the place of a null or at the end of the header."""
    from json import loads

    line, header = next(one for one in snapshot.headers if one[0].offset == finding.offset)
    text = rebuilt(snapshot, known=_sound(snapshot, header)).text
    if finding.repair == "report" or text is None:
        return []
    whole = loads(text)
    edits: list[Edit | Action] = []
    added = b""
    spaced = b'": ' in (line.raw or b"")
    places = _places(line)
    for name in finding.data["missing"]:
        value = dumps(whole[name], ensure_ascii=False).encode("utf-8", "replace")
        if name in places:
            start, end = places[name]
            edits.append(Edit(line.offset + start, end - start, value, finding.code))
        else:
            comma = b", " if spaced else b","
            added += (comma if places or added else b"") + dumps(name).encode() + (b": " if spaced else b":") + value
    if added:
        edits.append(Edit(line.offset + (line.raw or b"").rindex(b"}"), 0, added, finding.code))
    return edits


def _sound(snapshot: HeaderSnapshot, value: dict[str, Any]) -> dict[str, Any]:
    """The members of a header that are texts, and can be read: those can stay."""
    fits = snapshot.rules.fits
    return {name: member for name, member in value.items() if isinstance(member, str) and member and fits(name, member)}


def _places(line: Line) -> dict[str, tuple[int, int]]:
    """Where the value of each member of a header stands, in bytes of the line."""
    text = (line.raw or b"").decode("latin-1")
    decoder = JSONDecoder(strict=False)
    found: dict[str, tuple[int, int]] = {}
    place = text.index("{") + 1
    while True:
        place = _skip(text, place, " \t\r\n,")
        if text[place : place + 1] != '"':
            return found
        name, place = decoder.raw_decode(text, place)
        start = _skip(text, place, " \t\r\n:")
        _, place = decoder.raw_decode(text, start)
        found[name] = (start, place)


def _skip(text: str, place: int, over: str) -> int:
    found = re.compile(f"[{over}]*").match(text, place)
    return found.end() if found else place


_TOLD = ("It can be added.", "It can be set anew.")
