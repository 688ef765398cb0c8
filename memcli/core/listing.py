"""Listing sessions from what stat and the two ends of each file show: one row for every file, whatever state it is in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from memcli import times
from memcli.core.naming import shown as shown
from memcli.damage import ends
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import Header, Record, SessionRef, Workspace
from memcli.storage.decode import decode, expect_many, loads
from memcli.storage.reading import FLAGS, kind, unreadable

WINDOW = ends.WINDOW
HEADER_LIMIT = 1 << 20
"""A header longer than the first window is read on, up to this many bytes."""
FORK_FROM = 3000
"""From this many files on a second process pays for its start."""
SHARE = 0.47
"""How much of them it takes: it has to hand over its rows, too."""
PREVIEW = 120


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
    line: bytes = b""
    """The row as it is to be written, where the process that made the row was told how."""


Render = Callable[[SessionRow], bytes]
_KEY, _PATH, _UPDATED = (SessionRow._fields.index(name) for name in ("key", "path", "updated"))


def paths(workspace: Workspace) -> Iterator[str]:
    """The session files of a workspace: the ones that were named, else all that its layout knows.

    A sessions folder that cannot be listed stands for its files: opening it fails and tells why.
    """
    if workspace.files:
        yield from workspace.files
        return
    for folder in workspace.sessions:
        if not os.access(folder, os.R_OK | os.X_OK):
            yield folder
    yield from load(workspace.agent).layout.session_paths(workspace)


def leftovers(workspace: Workspace) -> list[str]:
    """The temporary files, conflict copies and old stores of a workspace, as they are called in output."""
    if workspace.files:
        return []
    return [shown(workspace, path) for path in load(workspace.agent).layout.leftovers(workspace)]


def sessions(workspaces: list[Workspace], tz: str = "", render: Render | None = None) -> list[SessionRow]:
    """A row for every session file of the workspaces, newest first. `render` makes each row's `line`."""
    import gc

    jobs = [(number, path) for number, workspace in enumerate(workspaces) for path in paths(workspace)]
    half = int(len(jobs) * SHARE) if len(jobs) >= FORK_FROM and hasattr(os, "fork") else 0
    if half:
        expect_many()
    collecting = gc.isenabled()
    gc.disable()  # nothing here is cyclic, and looking for cycles among 20,000 rows costs as much as making them
    try:
        other = _start(workspaces, jobs[:half], tz, render) if half else None
        rows = _peek_all(workspaces, jobs[half:], tz, not half, render)
        if other:
            rows += other()
    finally:
        if collecting:
            gc.enable()
    rows.sort(key=itemgetter(_UPDATED), reverse=True)
    if len(set(map(itemgetter(_UPDATED), rows))) < len(rows):
        rows.sort(key=itemgetter(_KEY, _PATH))
        rows.sort(key=itemgetter(_UPDATED), reverse=True)
    return rows


def reference(row: SessionRow, workspaces: list[Workspace]) -> SessionRef:
    """Where the session of a row is."""
    return SessionRef(row.agent, row.key, row.file, row.path, workspaces[row.place])


def as_json(row: SessionRow, tz: str = "") -> dict[str, Any]:
    """The documented JSON object of one session."""
    value: dict[str, Any] = {
        "type": "session",
        "agent": row.agent,
        "key": row.key,
        "title": row.title,
        "preview": row.preview,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "updated_at_utc": times.utc(row.updated_at, tz),
        "path": row.path,
        "size": row.size,
        "damage": list(row.damage),
        "checked": row.checked,
    }
    if row.why:
        value["why"] = row.why
    if row.checked == "all":
        value.update(messages=row.messages, tokens=row.tokens, state=row.state)
    return value


def _start(workspaces: list[Workspace], jobs: list[tuple[int, str]], tz: str, render: Render | None) -> Any:
    """Peek at `jobs` in a second process; the returned function waits for its rows."""
    import marshal

    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:  # the child must never return into the caller's code
        code = 1
        try:
            os.close(reader)
            data = memoryview(marshal.dumps(list(map(tuple, _peek_all(workspaces, jobs, tz, False, render)))))
            while data:
                data = data[os.write(writer, data) :]
            code = 0
        finally:
            os._exit(code)
    os.close(writer)

    def collect() -> Iterable[SessionRow]:
        with open(reader, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(pid, 0)
        if status:  # the helper was killed: do its share here rather than lose rows
            return _peek_all(workspaces, jobs, tz, False, render)
        return map(SessionRow._make, marshal.loads(data))

    return collect


def _peek_all(
    workspaces: list[Workspace], jobs: list[tuple[int, str]], tz: str, thorough: bool, render: Render | None
) -> list[SessionRow]:
    forms = [load(workspace.agent) for workspace in workspaces]
    rows = [peek(forms[number], workspaces[number], path, tz, number, thorough) for number, path in jobs]
    return [SessionRow._make((*row[:-1], render(row))) for row in rows] if render else rows


def peek(
    form: Format, workspace: Workspace, path: str, tz: str = "", place: int = 0, thorough: bool = True
) -> SessionRow:
    """The row of one file from its stat and its two ends. Never raises for anything that may stand at `path`.

    `thorough`: a file that lies whole in the two ends is parsed line by line; left out when there are thousands.
    """
    odd: tuple[str, ...] = ()
    try:
        try:
            fd = os.open(path, FLAGS | os.O_NOFOLLOW)
        except OSError as error:
            if not os.path.islink(path):
                raise error
            fd = os.open(path, FLAGS)
            odd = () if _inside(path, workspace) else ("odd-file",)
        try:
            stat = os.fstat(fd)
            if stat.st_mode & 0o170000 != 0o100000:
                return _odd(form, workspace, path, "odd-file", kind(stat.st_mode), stat.st_size, stat.st_mtime, place)
            size = stat.st_size
            head = os.read(fd, WINDOW)
            tail = head if size <= WINDOW else os.pread(fd, WINDOW, size - WINDOW)
            first = head[: head.find(b"\n")] if b"\n" in head else _first_line(fd, head)
        finally:
            os.close(fd)
    except OSError as error:
        return _unopened(form, workspace, path, error, place)
    damage = odd
    value = _value(first) if size else None
    header = form.records.header(value) if isinstance(value, dict) else None
    if not ends.is_clean(head, tail, size, thorough):
        damage += tuple(ends.codes(head, tail, size))
    if form.header_members and size:
        damage += _header_damage(form, workspace, path, header, value)
    header = header or _SILENT
    key = header.key or form.layout.key_of(workspace, path)
    title = header.title or ""
    preview = header.preview
    updated_at, created_at = header.updated_at, header.created_at
    if preview is None or updated_at is None or created_at is None:
        preview, created_at, updated_at = _from_rows(form, head, tail, size, preview, created_at, updated_at)
    updated = times.parse(updated_at, tz)
    return SessionRow(
        form.name,
        key,
        title,
        preview,
        created_at,
        updated_at,
        shown(workspace, path),
        size,
        tuple(dict.fromkeys(damage)) if damage else damage,
        "ends",
        stat.st_mtime if updated is None else updated,
        "",
        path,
        place,
    )


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


def _value(line: bytes) -> Any:
    """The one JSON value on a line, None when there is none."""
    values = _values(line)
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
