"""Filling in records that were cut, for a copy that a person will look at; never for a file in its place.

What stood in the cut part is not known. A rebuilt record has the whole members that can be read, the beginning of its
text where that was cut, a role that fits between its neighbours, and a member that says all this. Rule: the seed on
damaged session files ("complete the missing fields from the neighbouring rows ... for review by hand").
"""

from __future__ import annotations

import re
from json import JSONDecoder, dumps
from typing import NamedTuple

from memcli.damage.framework import RowsSnapshot
from memcli.damage.snapshots import LineSnapshot
from memcli.model import Edit

MARK = "memcliReconstructed"
"""The member by which a rebuilt record is known."""
TEXTS = ("content", "text", "prompt", "response_summary", "reasoningContent", "reasoning_content")
"""Members of which a beginning is worth keeping."""
ROLE, CONTENT = "role", "content"


class Rebuilt(NamedTuple):
    """The edits that put rebuilt records in the place of fragments, and for each in words what it was made of."""

    edits: list[Edit]
    said: list[str]


def rebuilt(snapshot: LineSnapshot, rows: RowsSnapshot | None, edits: list[Edit]) -> Rebuilt | None:
    """The edits of a damaged line with its fragments rebuilt; None when none can be."""
    verdict, base = snapshot.judged, snapshot.line.offset
    made: list[Edit] = []
    said: list[str] = []
    for edit in edits:
        inside = [
            (start, end)
            for start, end in verdict.fragments
            if edit.offset <= base + start and base + end <= edit.offset + edit.length
        ]
        records = []
        for start, end in inside:
            record = _record(snapshot.text(start, end), rows, snapshot.row)
            if record is not None:
                records.append(record[0])
                said.append(record[1])
        if not records:
            made.append(edit)
            continue
        before = b"\n" if edit.offset > base else b""
        length = base + verdict.length
        after = b"\n" if edit.offset + edit.length != length or edit.length == 0 else b""
        whole = before + b"\n".join(records) + (after or (b"" if before else b"\n"))
        lines = whole.strip(b"\n").count(b"\n") + 1
        made.append(edit._replace(replacement=whole, rows=edit.rows + lines, records=edit.records + lines))
    return Rebuilt(made, said) if said else None


def _record(fragment: bytes, rows: RowsSnapshot | None, row: int) -> tuple[bytes, str] | None:
    """A record from a fragment, and what it is made of; None when too little can be read."""
    members, cut = _members(fragment)
    if not members:
        return None
    names = {name for name, _ in members}
    partly: list[str] = []
    added: list[str] = []
    if cut is not None:
        members.append(cut)
        names.add(cut[0])
        partly.append(cut[0])
    if ROLE not in names:
        role = _role(rows, row)
        if not role:
            return None
        members.append((ROLE, dumps(role).encode()))
        added.append(ROLE)
    if CONTENT not in names and _has_content(rows):
        members.append((CONTENT, b'""'))
        added.append(CONTENT)
    note = {"read": sorted(names - set(partly)), "cut": partly, "added": added}
    members.append((MARK, dumps(note, separators=(",", ":")).encode()))
    text = b"{" + b",".join(dumps(name).encode() + b":" + value for name, value in members) + b"}"
    words = [f"{', '.join(note['read'])} as it was"]
    words += [f"{', '.join(partly)} as far as it goes"] if partly else []
    words += [f"{', '.join(added)} filled in"] if added else []
    return text, "; ".join(words)


def _members(fragment: bytes) -> tuple[list[tuple[str, bytes]], tuple[str, bytes] | None]:
    """The whole members of a record that breaks off, as (name, value as it stands), and the one that was cut, closed."""
    text = fragment.decode("latin-1")  # one character a byte
    decoder = JSONDecoder()
    found: list[tuple[str, bytes]] = []
    place = _skip(text, 0)
    if text[place : place + 1] != "{":
        return [], None
    name = ""
    try:
        place = _skip(text, place + 1)
        while text[place : place + 1] == '"':
            name, place = decoder.raw_decode(text, place)
            place = _skip(text, place)
            if text[place : place + 1] != ":":
                return found, None
            start = place = _skip(text, place + 1)
            _, place = decoder.raw_decode(text, start)
            if place >= len(text.rstrip()) and text[place - 1 : place] not in ('"', "}", "]"):
                return found, None  # a number or a word could have gone on
            value = fragment[start:place]
            value.decode()
            found.append((name, value))
            place = _skip(text, place)
            if text[place : place + 1] != ",":
                return found, None
            place = _skip(text, place + 1)
    except (ValueError, RecursionError):
        if name in TEXTS and name not in dict(found) and text[place : place + 1] == '"':
            return found, _closed(name, fragment[place:])
    return found, None


def _closed(name: str, value: bytes) -> tuple[str, bytes] | None:
    """A string that breaks off, with what is left of its last escape or character taken away, closed."""
    body = re.sub(rb"\\(?:u[0-9a-fA-F]{0,3})?$", b"", value) if _ends_in_escape(value) else value
    body = body.decode("utf-8", "ignore").encode() if _is_cut_only_at_the_end(body) else b""
    body = re.sub(rb"(?i)\\ud[89ab][0-9a-f]{2}$", b"", body)
    text = body + b'"'
    try:
        JSONDecoder().decode(text.decode())
    except ValueError:
        return None
    return (name, text) if len(body) > 1 else None


def _ends_in_escape(value: bytes) -> bool:
    found = re.search(rb"(\\+)(?:u[0-9a-fA-F]{0,3})?$", value)
    return found is not None and len(found[1]) % 2 == 1


def _is_cut_only_at_the_end(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _role(rows: RowsSnapshot | None, row: int) -> str:
    """A role that fits between the neighbours of a row, "" when none is sure to."""
    before, after = _neighbour(rows, row, -1), _neighbour(rows, row, 1)
    if before == "user":
        return "assistant"
    if before == "assistant":
        return "user" if after in ("assistant", "") else ""
    if before == "tool":
        return "assistant"
    return "user" if before == "" and after == "assistant" else ""


def _neighbour(rows: RowsSnapshot | None, row: int, step: int) -> str:
    """The role of the record before or behind a row, "" when there is none or it asks for tools."""
    if rows is None:
        return ""
    facts = rows.facts
    found = [entry for entry in range(len(facts)) if facts.row(entry) == row + step]
    if not found:
        return ""
    entry = found[0 if step > 0 else -1]
    if step < 0 and entry in facts.call_entries and facts.role(entry) == "assistant":
        return "calls"
    return facts.role(entry)


def _has_content(rows: RowsSnapshot | None) -> bool:
    """Whether the records of the file have a content."""
    entries = range(len(rows.facts)) if rows else ()
    values = (rows.value(entry) for entry in entries) if rows else ()
    return any(isinstance(value, dict) and CONTENT in value for value in values)


def _skip(text: str, place: int) -> int:
    found = re.compile(r"[ \t\r\n]*").match(text, place)
    return found.end() if found else place
