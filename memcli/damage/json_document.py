"""One JSON document, or formatted records, instead of a record a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.damage.converting import LIMIT, begins_with_header
from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "whole"
CLASSES = (
    Class(
        "json-document",
        "one document instead of a record a line",
        "error",
        "safe",
        looks="The file is one array of records, or records formatted over many lines: an export, or a formatter that ran.",
        does="Puts every record on a line of its own, if the whole file is records; each keeps its bytes but for the blanks.",
    ),
)


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """One finding for the file."""
    if not _looks_so(snapshot.head):
        return
    records = _records(snapshot)
    if records is None:
        message = "The file is a document, not a record a line, and not all of it is records."
        if snapshot.size > LIMIT:
            message = "The file is a document, not a record a line, and too large to be taken apart here."
        yield CLASSES[0].finding(snapshot.path, message, repair="report", offset=0, length=snapshot.size)
        return
    message = f"The file is one document with {len(records):,} records instead of a record a line."
    yield CLASSES[0].finding(snapshot.path, message, offset=0, length=snapshot.size)


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Write a record a line."""
    records = _records(snapshot) if finding.repair == "safe" else None
    if not records:
        return []
    lines = b"".join(record + b"\n" for record in records)
    rows = len(records) - begins_with_header(snapshot, lines)
    return [Edit(0, snapshot.size, lines, finding.code, rows, 0, rows)]


def _looks_so(head: bytes) -> bool:
    """An array over all of the file, or an object that is formatted, its first line without a member, and no plain rows."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if text.startswith(b"["):
        line, _, rest = text.partition(b"\n")
        rows = rest.strip() and line.rstrip().endswith(b"]")
        return not rows and re.match(rb"\[\s*(?:[{\]]|$)", text) is not None
    formatted = re.match(rb'\{[ \t]*\r?\n[ \t\r\n]*"', text) is not None
    return formatted and re.search(rb'\n\{"', text) is None


def _records(snapshot: WholeSnapshot) -> list[bytes] | None:
    """Every record of the document without the blanks between its members; None when it is not all records."""
    from json import JSONDecoder

    from memcli.storage.strictness import crowded

    whole = snapshot.context.read(0, snapshot.size) if snapshot.size <= LIMIT else b""
    if not whole or crowded(whole):
        return None
    try:
        text = whole.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    decoder = JSONDecoder()
    found: list[bytes] = []
    place = _skip(text, 0)
    array = text[place : place + 1] == "["
    place = _skip(text, place + array)
    try:
        while place < len(text) and text[place] == "{":
            _, end = decoder.raw_decode(text, place)
            found.append(_compact(text[place:end]))
            place = _skip(text, end)
            if array and text[place : place + 1] == ",":
                place = _skip(text, place + 1)
    except (ValueError, RecursionError):
        return None
    rest = text[place:].strip()
    return found if found and rest == ("]" if array else "") else None


def _compact(text: str) -> bytes:
    """A record on one line: newlines outside strings go, with the blanks around them."""
    return re.sub(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r]*+\n[ \t\r\n]*+', lambda found: found[1] or "", text).encode()


def _skip(text: str, place: int) -> int:
    found = re.compile(r"[ \t\r\n]*").match(text, place)
    return found.end() if found else place
