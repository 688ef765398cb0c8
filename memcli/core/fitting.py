"""Proposed edits and the file as it is by now: where each of them stands, and what the file is with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memcli.core.proposals import ProposedEdit

AROUND = 4096
"""So many bytes around an edit, or a little more, are kept with it at most."""


class Placed(NamedTuple):
    """An edit and the byte at which its old text stands now."""

    offset: int
    edit: ProposedEdit

    @property
    def end(self) -> int:
        """The byte behind its old text."""
        return self.offset + len(self.edit.old)

    @property
    def changes(self) -> bool:
        """Whether it is more than a condition."""
        return self.edit.old != self.edit.new


def anchored(data: bytes, edit: ProposedEdit) -> ProposedEdit:
    """The edit with so much of the lines around it in `data` that they, with its old text, stand there once. What stands there
    once by itself needs nothing around it, and what has not become so within AROUND bytes gets nothing."""
    start, end = edit.offset, edit.offset + len(edit.old)
    edit = edit._replace(before=b"", after=b"")
    if edit.old and _once(data, edit.old) is not None:
        return edit
    first, last = start, end
    lines = 1
    while start - first + last - end < AROUND:
        for _ in range(lines):
            first = data.rfind(b"\n", 0, max(0, first - 1)) + 1
            last = data.find(b"\n", last) + 1 or len(data)
        if _once(data, data[first:last]) is not None:
            return edit._replace(before=data[first:start], after=data[end:last])
        lines *= 2
    return edit


def placed(edits: Sequence[ProposedEdit], data: bytes, *, same: bool) -> list[Placed] | None:
    """Where the edits of one file stand in `data`; None where one does not, or two of them meet. `same`: these are the bytes that
    they were made for."""
    found = []
    for edit in edits:
        at = _locate(edit, data, same)
        if at is None:
            return None
        found.append(Placed(at, edit))
    found.sort(key=lambda one: (one.offset, one.end))
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            if other.offset >= one.end:
                break
            if one.changes or other.changes:
                return None
    return found


def misfits(edits: Sequence[ProposedEdit], data: bytes | None, *, same: bool) -> list[str]:
    """The ids of the items that do not fit: all, where there is no file; else those that do not stand there, or that meet one
    before them."""
    found: list[str] = []
    kept: list[ProposedEdit] = []
    for id in dict.fromkeys(edit.id for edit in edits):
        mine = [edit for edit in edits if edit.id == id]
        if data is None or placed([*kept, *mine], data, same=same) is None:
            found.append(id)
        else:
            kept += mine
    return found


def digest(data: bytes) -> str:
    """SHA-256 in hex, as proposals name the bytes that they were made for."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def applied(found: Sequence[Placed], data: bytes) -> bytes:
    """The file with the edits."""
    pieces = []
    at = 0
    for one in found:
        if one.changes:
            pieces += [data[at : one.offset], one.edit.new]
            at = one.end
    return b"".join([*pieces, data[at:]])


def carried(edits: Sequence[ProposedEdit], done: Sequence[Placed], old: bytes, *, same: bool) -> list[ProposedEdit]:
    """Edits that were not applied, for the file as those that were (`done`) left it. One that does not fit is as it was."""
    new = applied(done, old)
    found = []
    for edit in edits:
        at = _locate(edit, old, same)
        if at is not None:
            here = Placed(at, edit)
            meets = any(one.changes and one.offset < here.end and here.offset < one.end for one in done)
            shift = sum(len(one.edit.new) - len(one.edit.old) for one in done if one.end <= at)
            if not meets:
                edit = anchored(new, edit._replace(offset=at + shift))
        found.append(edit)
    return found


def _locate(edit: ProposedEdit, data: bytes, same: bool) -> int | None:
    """The byte at which the old text of an edit stands: where it was made for these bytes, where it was; else the only place that
    has it, by itself or with what was around it."""
    if same and data[edit.offset : edit.offset + len(edit.old)] == edit.old:
        return edit.offset
    at = _once(data, edit.old) if edit.old else None
    if at is not None or not (edit.before or edit.after):
        return at
    around = _once(data, edit.before + edit.old + edit.after)
    return None if around is None else around + len(edit.before)


def _once(data: bytes, piece: bytes) -> int | None:
    """Where a piece stands that stands there exactly once."""
    at = data.find(piece)
    return at if at >= 0 and data.find(piece, at + 1) < 0 else None
