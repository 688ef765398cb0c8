"""A file in UTF-16."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.converting import LIMIT, begins_with_header, relined
from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "whole"
CLASSES = (
    Class(
        "utf16",
        "UTF-16 instead of UTF-8",
        "error",
        "safe",
        looks="Every other byte is NUL, or FF FE or FE FF stands first: an editor or PowerShell wrote UTF-16.",
        does="Converts the file to UTF-8, if then every line is a record.",
    ),
)


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """One finding for the file."""
    name = encoding(snapshot.head)
    if not name:
        return
    lines = _converted(snapshot, name)
    message = f"The file is {name.upper()}: no reader of JSON lines finds a row in it."
    repair = "safe"
    if lines is None:
        repair = "report"
        message += " As UTF-8 not every line of it would be a record."
        if snapshot.size > LIMIT:
            message = f"The file is {name.upper()}, and too large to be converted here."
    yield CLASSES[0].finding(snapshot.path, message, repair=repair, offset=0, length=snapshot.size)


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Convert it."""
    converted = _converted(snapshot, encoding(snapshot.head)) if finding.repair == "safe" else None
    if converted is None:
        return []
    rows = converted.count(b"\n") - begins_with_header(snapshot, converted)
    return [Edit(0, snapshot.size, converted, finding.code, rows, 0, rows)]


def encoding(head: bytes) -> str:
    """utf-16-le or utf-16-be, "" for anything else: by the mark, else by where the NULs are."""
    if b"\0" in head or len(head) <= 2:  # two odd bytes before text in UTF-8 are no mark
        if head.startswith(b"\xff\xfe"):
            return "utf-16-le"
        if head.startswith(b"\xfe\xff"):
            return "utf-16-be"
    sample = head[:512]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half < 4 or (sample[:1] != b"\0") == (sample[1:2] != b"\0"):
        return ""
    # text in Chinese has NULs only beside its ASCII: the names and marks of JSON
    if odd > half // 4 and even <= odd // 8:
        return "utf-16-le"
    return "utf-16-be" if even > half // 4 and odd <= even // 8 else ""


def _converted(snapshot: WholeSnapshot, name: str) -> bytes | None:
    if snapshot.size > LIMIT:
        return None
    try:
        text = snapshot.context.read(0, snapshot.size).decode(name)
        whole = text.removeprefix("\ufeff").encode()
    except UnicodeError:
        return None
    return relined(whole)
