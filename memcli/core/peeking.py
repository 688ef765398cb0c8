"""One session file as a listing shows it, from its stat and its two ends, whatever state it is in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from memcli import times
from memcli.core.naming import shown
from memcli.damage.ends import BOTH, WINDOW, codes, is_clean, is_clean_whole
from memcli.formats.facets import Format
from memcli.model import Header, Record, Workspace
from memcli.storage.decode import decode, loads
from memcli.storage.reading import FLAGS, kind, unreadable

HEADER_LIMIT = 1 << 20
"""A header longer than the first window is read on, up to this many bytes."""
PREVIEW = 120
_NO_LINK = FLAGS | os.O_NOFOLLOW


class SessionRow(NamedTuple):
    """One session as listed. `updated` is the time to sort by in epoch seconds; `why` says in words what is odd."""

    agent: str
    key: str
    title: str
    preview: str
    created_at: str | None
    updated_at: str | None
    path: str
    size: int
    damage: tuple[str, ...]
    checked: str
    updated: float
    why: str
    file: str
    place: int
    messages: int | None = None
    tokens: int | None = None
    state: str | None = None


Members: TypeAlias = (
    "tuple[str, str, str, str, str | None, str | None, str, int, tuple[str, ...], str, float, str, str, int, "
    "int | None, int | None, str | None]"
)
"""What a SessionRow is made of, as a plain tuple where there are thousands of them."""


def peek(form: Format, workspace: Workspace, path: str, tz: str = "", place: int = 0) -> SessionRow:
    """The row of one file from its stat and its two ends. Never raises for anything that may stand at `path`."""
    return SessionRow._make(peeking(form, workspace, tz, place)(path))


def peeking(
    form: Format, workspace: Workspace, tz: str = "", place: int = 0, thorough: bool = True
) -> Callable[[str], Members]:
    """What makes the row of one file after the other, quickly where nothing is wrong with it.

    `thorough`: a file that lies whole in the two ends is parsed line by line; left out when there are thousands.
    """
    header_of, name_of, members = form.records.header, form.layout.name_of, form.header_members
    agent, era, renamed = form.name, workspace.era, workspace.shown != workspace.root

    def look(path: str) -> Members:
        damage: tuple[str, ...] = ()
        try:
            try:
                fd = os.open(path, _NO_LINK)
            except OSError as error:
                if not os.path.islink(path):
                    raise error
                fd = os.open(path, FLAGS)
                damage = () if _inside(path, workspace) else ("odd-file",)
            try:
                stat = os.fstat(fd)
                size = stat.st_size
                if stat.st_mode & 0o170000 != 0o100000:
                    return _odd(form, workspace, path, "odd-file", kind(stat.st_mode), size, stat.st_mtime, place)
                if size <= BOTH:  # read at once; which of it are the two ends is asked for when they matter
                    begin, tail = os.read(fd, BOTH), b""
                    clean = is_clean_whole(begin, thorough)
                else:
                    begin, tail = os.read(fd, WINDOW), os.pread(fd, WINDOW, size - WINDOW)
                    clean = is_clean(begin, tail, size)
                end = begin.find(b"\n")
                first = begin[:end] if end >= 0 else _first_line(fd, begin)
            finally:
                os.close(fd)
        except OSError as error:
            return _unopened(form, workspace, path, error, place)
        value: Any
        try:
            value = loads(first) if size else None
        except (ValueError, RecursionError):
            value = _value(first)
        header = header_of(value) if isinstance(value, dict) else None
        key, title, preview, created_at, updated_at = header or _SILENT
        if not clean:
            damage += tuple(codes(*_windows(begin, tail, size), size))
        if members and size:
            fits = key and None not in map(value.get, members) and path.endswith(f"/{name_of(key, era)}")
            damage = damage if fits else damage + _header_damage(form, workspace, path, header, value)
        if preview is None or updated_at is None or created_at is None:
            head, tail = _windows(begin, tail, size)
            preview, created_at, updated_at = _from_rows(form, head, tail, size, preview, created_at, updated_at)
        updated = times.parse(updated_at, tz)
        return (
            agent,
            key or form.layout.key_of(workspace, path),
            title or "",
            preview,
            created_at,
            updated_at,
            shown(workspace, path) if renamed else path,
            size,
            tuple(dict.fromkeys(damage)) if damage else damage,
            "ends",
            stat.st_mtime if updated is None else updated,
            "",
            path,
            place,
            None,
            None,
            None,
        )

    return look


def header_key(form: Format, path: str) -> str | None:
    """The key in a file's header; None when it has none that can be read."""
    try:
        fd = os.open(path, FLAGS)
        try:
            head = os.read(fd, WINDOW)
            first = head[: head.find(b"\n")] if b"\n" in head else _first_line(fd, head)
        finally:
            os.close(fd)
    except OSError:
        return None
    value = _value(first)
    header = form.records.header(value) if isinstance(value, dict) else None
    return header.key if header else None


def _windows(begin: bytes, tail: bytes, size: int) -> tuple[bytes, bytes]:
    """The two ends of a file, of which the first 4 KiB and the last were read, or all where it is no longer than both."""
    if size > BOTH:
        return begin, tail
    head = begin[:WINDOW]
    return (head, head) if size <= WINDOW else (head, begin[size - WINDOW : size])


def _value(line: bytes) -> Any:
    """The one JSON value on a line, None when there is none."""
    try:
        return loads(line)
    except (ValueError, RecursionError):
        values = decode(line).values
        return values[0] if len(values) == 1 else None


def _values(line: bytes) -> tuple[Any, ...]:
    try:
        return (loads(line),)
    except (ValueError, RecursionError):
        return decode(line).values


def _first_line(fd: int, head: bytes) -> bytes:
    pieces = [head]
    read = len(head)
    while read < HEADER_LIMIT:
        more = os.pread(fd, 1 << 16, read)
        if not more:
            break
        line, newline, _ = more.partition(b"\n")
        pieces.append(line)
        read += len(more)
        if newline:
            break
    return b"".join(pieces)


def _inside(path: str, workspace: Workspace) -> bool:
    target = os.path.realpath(path)
    roots = {os.path.realpath(root) for root in (workspace.root, *workspace.sessions)}
    return any(target.startswith(root + os.sep) for root in roots)


def _unopened(form: Format, workspace: Workspace, path: str, error: OSError, place: int) -> SessionRow:
    try:
        stat = os.lstat(path)
        mode, size, changed = stat.st_mode, stat.st_size, stat.st_mtime
    except OSError:
        mode, size, changed = 0, 0, 0.0
    why = str(unreadable(path, error).facts["why"])
    if mode and mode & 0o170000 not in (0o100000, 0o120000) and path not in workspace.sessions:
        return _odd(form, workspace, path, "odd-file", kind(mode), size, changed, place)
    return _odd(form, workspace, path, "unreadable", why, size, changed, place)


def _odd(
    form: Format, workspace: Workspace, path: str, code: str, why: str, size: int, changed: float, place: int
) -> SessionRow:
    key = form.layout.key_of(workspace, path)
    called = shown(workspace, path)
    return SessionRow(form.name, key, "", "", None, None, called, size, (code,), "ends", changed, why, path, place)


def _header_damage(form: Format, workspace: Workspace, path: str, header: Header | None, value: Any) -> tuple[str, ...]:
    if header is None:
        if not isinstance(value, dict):
            return ("corrupt-header",)
        return () if form.records.is_preamble(value) else ("missing-header",)
    found: tuple[str, ...] = ()
    for member in form.header_members:
        if value.get(member) is None:
            found = ("header-incomplete",)
    if header.key and not workspace.files:
        expected = form.layout.name_of(header.key, workspace.era)
        if expected is not None and not path.endswith("/" + expected):
            found += ("name-mismatch",)
    return found


_SILENT = Header()


def _from_rows(
    form: Format,
    head: bytes,
    tail: bytes,
    size: int,
    preview: str | None,
    created_at: str | None,
    updated_at: str | None,
) -> tuple[str, str | None, str | None]:
    """What the header does not say, from the rows at both ends: the last user text, the first and the last time."""
    first = head.split(b"\n")
    if size > WINDOW:
        first.pop()
    last = first if tail is head else tail.split(b"\n")[1:]
    if created_at is None:
        created_at = next((message.timestamp for message in _messages(form, first) if message.timestamp), None)
    for rows in (last, first) if last is not first else (last,):
        if preview is not None and updated_at is not None:
            break
        for message in _messages(form, reversed(rows), backwards=True):
            if updated_at is None and rows is last:
                updated_at = message.timestamp
            if preview is None and message.role in form.askers:
                preview = message.content[:PREVIEW]
            if preview is not None and updated_at is not None:
                break
    return preview or "", created_at, updated_at


def _messages(form: Format, lines: Iterable[bytes], backwards: bool = False) -> Iterator[Record]:
    """The records on `lines`, header rows left out; two records glued to one line are two."""
    for line in lines:
        if not line:
            continue
        values = _values(line)
        for value in reversed(values) if backwards else values:
            if isinstance(value, dict) and not form.records.is_preamble(value):
                yield form.records.record(value)
