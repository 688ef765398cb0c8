"""What git, or a tool like it, leaves of a merge that it could not do: both sides of the file between markers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from memcli.damage.salvage import Cut, Verdict
from memcli.model import Line
from memcli.storage.decode import decode
from memcli.storage.lines import is_blank

OURS, BASE, BETWEEN, THEIRS = b"<" * 7, b"|" * 7, b"=" * 7, b">" * 7
LINES = 100_000
"""A region of more lines than this is left to a person."""


class _Row(NamedTuple):
    start: int
    end: int  # behind the newline
    raw: bytes
    value: Any


def judge_conflict(
    line: Line, following: Callable[[], Iterable[Line]], is_header: Callable[[Any], bool]
) -> Verdict | None:
    """The verdict on the region that `line` begins, None when it begins none.

    Safe when every line of both sides is a record, and no two of them are different versions of the same one: then the
    markers go, and of rows that both sides have one copy stays. Of two headers the one with the later `updated_at` stays.
    """
    if not _is_marker(line.raw, OURS):
        return None
    rows: list[_Row] = []
    cuts: list[Cut] = [(0, line.length + 1, b"")]
    side = OURS
    for number, found in enumerate(following(), 2):
        raw = found.raw
        start = found.offset - line.offset
        end = start + found.length + found.ended
        if raw is None or number > LINES:
            return None
        if side == OURS and (_is_marker(raw, BASE) or _is_marker(raw, BETWEEN)):
            side = BETWEEN if raw.startswith(BETWEEN) else BASE
            cuts.append((start, end, b""))
        elif side == BASE:
            side = BETWEEN if _is_marker(raw, BETWEEN) else side
            cuts.append((start, end, b""))
        elif side == BETWEEN and _is_marker(raw, THEIRS):
            cuts.append((start, end, b""))
            length = start + found.length
            joined = _joined(rows, is_header)
            if joined is None:
                return Verdict("conflict-markers", lines=number, length=length, detail="differ")
            kept = len(rows) - sum(not new for _, _, new in joined)
            return Verdict("conflict-markers", _merged([*cuts, *joined]), kept, lines=number, length=length)
        elif not is_blank(raw):
            values = decode(raw).values
            rows.append(_Row(start, end, raw, values[0] if len(values) == 1 else None))
    return None


def _joined(rows: list[_Row], is_header: Callable[[Any], bool]) -> list[Cut] | None:
    """The cuts after which each record is there once; None when that is a person's choice."""
    known: dict[Any, _Row] = {}
    cuts: dict[int, Cut] = {}
    for row in rows:
        if not isinstance(row.value, dict):
            return None
        header = is_header(row.value)
        identity = "header" if header else _identity(row)
        other = known.setdefault(identity, row)
        if other is row:
            continue
        if other.raw != row.raw:
            older, younger = other.value.get("updated_at"), row.value.get("updated_at")
            if not header or not isinstance(older, str) or not isinstance(younger, str):
                return None
            if younger > older:  # the younger header, where the first one stands
                cuts[other.start] = (other.start, other.end, row.raw + b"\n")
                known[identity] = other._replace(raw=row.raw, value=row.value)
        cuts[row.start] = (row.start, row.end, b"")
    return list(cuts.values())


def _identity(row: _Row) -> Any:
    for name in ("id", "uuid", "cursor", "timestamp"):
        value = row.value.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return name, value
    return row.raw


def _merged(cuts: list[Cut]) -> tuple[Cut, ...]:
    """The cuts in order, those that touch made one."""
    found: list[Cut] = []
    for start, end, new in sorted(cuts):
        if found and start <= found[-1][1] and not new and not found[-1][2]:
            found[-1] = (found[-1][0], max(end, found[-1][1]), b"")
        else:
            found.append((start, end, new))
    return tuple(found)


def _is_marker(raw: bytes | None, marker: bytes) -> bool:
    return raw is not None and raw.startswith(marker) and raw[7:8] in (b"", b" ", b"\r")
