"""Listing sessions from what stat and the two ends of each file show: one row for every file, whatever state it is in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from memcli import times
from memcli.core.naming import shown as shown
from memcli.core.peeking import Members, peeking
from memcli.core.peeking import SessionRow as SessionRow
from memcli.core.peeking import header_key as header_key
from memcli.core.peeking import peek as peek
from memcli.formats import load
from memcli.model import SessionRef, Workspace
from memcli.storage.decode import expect_many

FORK_FROM = 3000
"""From this many files on a second process pays for its start."""
SHARE = 0.48
"""How much of them it takes: it has to hand over its rows, too."""


PLAIN = 2
"""The version of marshal that does not look whether it has met the same object before."""


class Written(NamedTuple):
    """A session of which only its line of output is kept, and what rows are chosen and put in order by: handing over and
    taking apart the rest of 20,000 rows, which nobody asks for any more, would take a fifth of the time."""

    key: str
    created_at: str | None
    path: str
    size: int
    damage: tuple[str, ...]
    updated: float
    line: bytes


Row = TypeVar("Row", SessionRow, Written)
Render = Callable[[Members], bytes]


def paths(workspace: Workspace) -> Iterator[str]:
    """The session files of a workspace: the ones that were named, else all that its layout knows.

    A sessions folder that cannot be listed stands for its files: opening it fails and tells why.
    """
    if workspace.files:
        return iter(workspace.files)
    closed = [folder for folder in workspace.sessions if not os.access(folder, os.R_OK | os.X_OK)]
    return chain(closed, load(workspace.agent).layout.session_paths(workspace))


def leftovers(workspace: Workspace) -> list[str]:
    """The temporary files, conflict copies and old stores of a workspace, as they are called in output."""
    if workspace.files:
        return []
    return [shown(workspace, path) for path in load(workspace.agent).layout.leftovers(workspace)]


def sessions(workspaces: list[Workspace], tz: str = "") -> list[SessionRow]:
    """A row for every session file of the workspaces, newest first."""
    return _rows(SessionRow, workspaces, tz, None)


def written(workspaces: list[Workspace], render: Render, tz: str = "") -> list[Written]:
    """The same as lines, which `render` makes in whichever process has looked at the file."""
    return _rows(Written, workspaces, tz, render)


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


def _rows(kind: type[Row], workspaces: list[Workspace], tz: str, render: Render | None) -> list[Row]:
    """The rows of all files in order; from FORK_FROM on two processes look at them."""
    import gc

    files = [list(paths(workspace)) for workspace in workspaces]
    shared = sum(map(len, files)) >= FORK_FROM and hasattr(os, "fork")
    updated = itemgetter(kind._fields.index("updated"))

    def look(files: list[list[str]]) -> list[Row]:
        rows = cast("list[Row]", _look(workspaces, files, tz, not shared, render))
        rows.sort(key=updated, reverse=True)
        return rows

    collecting = gc.isenabled()
    gc.disable()  # nothing here is cyclic, and looking for cycles among 20,000 rows costs as much as making them
    try:
        if not shared:
            rows = look(files)
        else:
            expect_many()
            theirs = [some[: int(len(some) * SHARE)] for some in files]
            collect = _start(lambda: look(theirs))
            rows = look([some[len(less) :] for some, less in zip(files, theirs, strict=True)])
            columns = collect()
            rows += look(theirs) if columns is None else map(kind._make, zip(*columns, strict=True))
            rows.sort(key=updated, reverse=True)
    finally:
        if collecting:
            gc.enable()
    if len(set(map(updated, rows))) < len(rows):
        rows.sort(key=itemgetter(kind._fields.index("key"), kind._fields.index("path")))
        rows.sort(key=updated, reverse=True)
    return rows


def _look(
    workspaces: list[Workspace], files: list[list[str]], tz: str, thorough: bool, render: Render | None
) -> list[SessionRow] | list[Written]:
    """The rows of these files of each workspace."""
    rows: list[SessionRow] = []
    lines: list[Written] = []
    for place, workspace in enumerate(workspaces):
        look = peeking(load(workspace.agent), workspace, tz, place, thorough)
        if render is None:
            rows += [SessionRow._make(look(file)) for file in files[place]]
            continue
        for file in files[place]:
            row = look(file)
            # taken apart at once: asking it for one member after the other takes as long as parsing its header
            _, key, _, _, created_at, _, path, size, damage, _, updated, _, _, _, _, _, _ = row
            lines.append(Written(key, created_at, path, size, damage, updated, render(row)))
    return rows if render is None else lines


def _start(look: Callable[[], list[Row]]) -> Callable[[], list[tuple[Any, ...]] | None]:
    """Look in a second process; the returned function waits for the columns of its rows, None when it was not to be."""
    import marshal

    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:  # the child must never return into the caller's code
        try:
            os.close(reader)
            data = memoryview(marshal.dumps(list(zip(*look(), strict=True)), PLAIN))
            while data:
                data = data[os.write(writer, data) :]
            os.close(writer)  # or the caller would wait until all memory is given back
        finally:
            os._exit(0)
    os.close(writer)

    def collect() -> list[tuple[Any, ...]] | None:
        with open(reader, "rb") as pipe:
            data = pipe.read()
        try:
            columns: list[tuple[Any, ...]] = marshal.loads(data)
        except (EOFError, ValueError, TypeError):  # it was killed, and what it said breaks off
            return None
        finally:
            os.waitpid(pid, 0)
        return columns

    return collect
