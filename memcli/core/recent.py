"""The last records of one session or of all, and the records that come after them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memcli import times
from memcli.core import listing, rows
from memcli.core.followed import Mark, mark
from memcli.core.following import follow
from memcli.core.tailing import last
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import Decoded, Line, Record, SessionRef, Workspace
from memcli.storage.lines import is_blank
from memcli.storage.reading import open_regular


class Shown(NamedTuple):
    """One record with its place; `line` and `row` are 0 when they were not asked for. `raw` is the whole line."""

    ref: SessionRef
    line: int
    row: int
    record: Record
    flaw: str
    raw: bytes


class Recent(NamedTuple):
    """Records, oldest first; what was passed over to find them; from which byte each file goes on.

    `name` is what was looked at: the session's key, or how many sessions.
    """

    name: str
    shown: list[Shown]
    skipped_lines: int
    skipped_bytes: int
    ends: dict[str, Mark]
    errors: list[CannotRead]


def recent(refs: list[SessionRef], n: int, *, roles: tuple[str, ...], numbered: bool, tz: str) -> Recent:
    """The last `n` records of the sessions together, those of one session in their order in the file.

    Of several sessions the records are merged by their times; a record without one keeps its neighbours. `numbered`
    asks for line and row numbers, for which the bytes before must be counted. For one session, a file that cannot be
    read raises CannotRead; for several it is reported.
    """
    shown: list[tuple[float, Shown]] = []
    lines = size = 0
    ends: dict[str, Mark] = {}
    errors: list[CannotRead] = []
    for ref in refs:
        try:
            fd = open_regular(ref.path)
        except CannotRead as error:
            if len(refs) == 1:
                raise
            errors.append(error)
            continue
        try:
            form = load(ref.agent)
            found = last(fd, n, _keep(form, rows.preamble(fd, form).size, roles))
            lines += found.skipped_lines
            size += found.skipped_bytes
            ends[ref.path] = mark(fd, found.end)
            shown += _stamped(_records(fd, form, ref, found.rows, roles, numbered), tz)
        finally:
            os.close(fd)
    if len(refs) > 1:
        shown.sort(key=lambda pair: pair[0])
    name = refs[0].key if len(refs) == 1 else f"{len(refs)} sessions"
    return Recent(name, [one for _, one in shown[-n:]] if n else [], lines, size, ends, errors)


def merged(several: list[list[Shown]], n: int, tz: str) -> list[Shown]:
    """The last `n` of records that are in order each by themselves, by their times; of equal ones the former list's first."""
    stamped = [pair for shown in several for pair in _stamped(iter(shown), tz)]
    return [one for _, one in sorted(stamped, key=lambda pair: pair[0])][-n:] if n else []


class Unread(NamedTuple):
    """A complete line that a follower saw and that gives no record."""

    ref: SessionRef
    size: int
    flaw: str


def coming(
    refs: list[SessionRef],
    ends: dict[str, Mark],
    *,
    workspaces: list[Workspace],
    roles: tuple[str, ...],
    numbered: bool,
    until_closed: int,
    notice: Callable[[str], None],
) -> Iterator[Shown | Unread]:
    """The records that are written from now on, each as soon as its line is complete; never ends by itself.

    With `workspaces`, sessions that come to be in them are followed too. Ends when nobody reads `until_closed`.
    """
    known = {ref.path: ref for ref in refs}

    first = [[ref.path for ref in refs]]

    def present() -> list[str]:
        # at first the sessions that were shown: one that came to be since then is new, and told from its beginning
        return first.pop() if first else [path for workspace in workspaces for path in listing.paths(workspace)]

    folders = [folder for workspace in workspaces for folder in workspace.sessions]
    paths = present if workspaces else list(known)
    for path, line in follow(paths, ends, folders=folders, until_closed=until_closed, notice=notice):
        if path not in known:
            known[path] = _newcomer(path, workspaces)
        if line.raw is not None and is_blank(line.raw):
            continue
        values = rows.decoded(line)
        if values.values:
            yield from _coming(known[path], line, values, roles, numbered)
        else:
            yield Unread(known[path], line.length, values.flaw)


def _newcomer(path: str, workspaces: list[Workspace]) -> SessionRef:
    """The session in a file that was not there at the start."""
    folder = os.path.dirname(path)
    place = next((n for n, w in enumerate(workspaces) if folder in w.sessions), 0)
    workspace = workspaces[place]
    return listing.reference(listing.peek(load(workspace.agent), workspace, path, place=place), workspaces)


def _coming(ref: SessionRef, line: Line, values: Decoded, roles: tuple[str, ...], numbered: bool) -> Iterator[Shown]:
    form = load(ref.agent)
    number = row = 0
    if numbered or rows.is_preamble(form, values):
        try:
            fd = open_regular(ref.path)
        except CannotRead:  # gone again: what was read is told, without its place
            fd = -1
        if fd >= 0:
            try:
                if line.offset < rows.preamble(fd, form).size:
                    return
                if numbered:
                    number, row = rows.place(fd, form, line.offset)
            finally:
                os.close(fd)
    for record in rows.records(form, values):
        if not roles or record.role in roles:
            yield Shown(ref, number, row, record, values.flaw, line.raw or b"")


def _keep(form: Format, header: int, roles: tuple[str, ...]) -> Callable[[Line, Decoded], bool]:
    def keep(line: Line, values: Decoded) -> bool:
        if line.offset < header:
            return False
        return not roles or any(record.role in roles for record in rows.records(form, values))

    return keep


def _records(
    fd: int, form: Format, ref: SessionRef, found: list[tuple[Line, Decoded]], roles: tuple[str, ...], numbered: bool
) -> Iterator[Shown]:
    number = row = 0
    counted = rows.Counter(fd, form) if numbered else None
    for line, values in found:
        if counted:
            number, row = counted.place(line.offset)
        for record in rows.records(form, values):
            if not roles or record.role in roles:
                yield Shown(ref, number, row, record, values.flaw, line.raw or b"")


def _stamped(found: Iterator[Shown], tz: str) -> Iterator[tuple[float, Shown]]:
    """Each with the time to merge by: its own, but never before that of the record in front of it in the file."""
    moment = 0.0
    for one in found:
        moment = max(moment, times.parse(one.record.timestamp, tz) or moment)
        yield moment, one
