"""A whole file made into lines of records, for classes that concern all of it."""

from __future__ import annotations

from memcli.damage.snapshots import WholeSnapshot
from memcli.storage.decode import decode
from memcli.storage.lines import is_blank

LIMIT = 64 << 20
"""Larger files are not converted in memory."""


def relined(whole: bytes) -> bytes | None:
    """The bytes, with a final newline, if every line is a record or blank; None otherwise."""
    for line in whole.split(b"\n"):
        if not is_blank(line) and not _is_record(line):
            return None
    return whole if whole.endswith(b"\n") else whole + b"\n"


def begins_with_header(snapshot: WholeSnapshot, converted: bytes) -> bool:
    """Whether the first of the new lines is a header, and so no row."""
    values = decode(converted.partition(b"\n")[0]).values
    return len(values) == 1 and snapshot.context.is_header(values[0])


def _is_record(line: bytes) -> bool:
    values, flaw = decode(line)
    return len(values) == 1 and isinstance(values[0], dict) and flaw in ("", "lone-surrogate")
