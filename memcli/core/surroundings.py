"""What lies around the sessions of a workspace, as the classes of files and workspaces look at it."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memcli.core import holding, repositories
from memcli.damage.framework import (
    CursorState,
    FileSnapshot,
    JournalState,
    PartState,
    RowsSnapshot,
    SessionState,
    WorkspaceSnapshot,
)
from memcli.errors import CannotRead, RefusedForSafety
from memcli.formats import load, rules
from memcli.formats.copies import original_of
from memcli.formats.facets import JournalFile
from memcli.formats.protocols import Rules
from memcli.model import NOTHING, Workspace
from memcli.storage import unfinished
from memcli.storage.facts import NUMBER
from memcli.storage.parts import is_part
from memcli.storage.reading import open_regular

CURSOR_LIMIT = 4096
"""A cursor file is read so far."""


class Seen(NamedTuple):
    """What the examination of one session left: its header, and the facts if this process has them."""

    path: str
    header: Mapping[str, Any]
    rows: RowsSnapshot | None


class Place(NamedTuple):
    """A file of a workspace by its kind: session, journal, cursor, memory or leftover."""

    path: str
    kind: str


def places(workspace: Workspace, sessions: Sequence[str]) -> list[Place]:
    """Every file of the workspace that is looked at, those that do not exist left out; each once, as what it is first."""
    form = load(workspace.agent)
    found = [Place(path, "session") for path in sessions]
    if not workspace.files:
        journals = form.journal.files(workspace) if form.journal else []
        found += [Place(journal.path, "journal") for journal in journals]
        cursors = [path for journal in journals for path in (journal.allocated, journal.processed) if path]
        found += [Place(path, "cursor") for path in cursors]
        found += [Place(memory.path, "memory") for memory in (form.memory.files(workspace) if form.memory else [])]
        found += [Place(path, "leftover") for path in form.layout.leftovers(workspace)]
        folders = {os.path.dirname(place.path) for place in found} | {*workspace.sessions, *workspace.memory}
        found += [Place(path, "leftover") for folder in sorted(folders) for path in _parts_in(folder)]
    known: dict[str, Place] = {}
    for place in found:
        if place.path not in known and os.path.lexists(place.path):
            known[place.path] = place
    return list(known.values())


def file_snapshots(workspace: Workspace, files: Sequence[Place]) -> Iterator[FileSnapshot]:
    """What stat tells of each file."""
    roots = {os.path.realpath(root) for root in (workspace.root, *workspace.sessions, *workspace.memory)}
    user = os.geteuid()
    reached: dict[str, bool] = {}
    # the folder that a bundle was unpacked into is ours alone; what counts is how it was where it came from
    top = os.path.dirname(workspace.root) if workspace.bundled else ""
    for path, kind in files:
        if path in workspace.sessions:
            continue  # a folder that cannot be listed: what reads its files tells why
        status, target = _status(path, os.lstat), _status(path, os.stat)
        inside = True
        if status is not None and stat.S_ISLNK(status.st_mode):
            real = os.path.realpath(path)
            inside = any(real.startswith(root + os.sep) for root in roots)
        folder = os.path.dirname(path)
        if folder not in reached:
            reached[folder] = reachable(folder, top)
        yield FileSnapshot(path, kind, status, target, inside, user, reached[folder])


def snapshot(
    workspace: Workspace,
    files: Sequence[Place],
    seen: Sequence[Seen],
    screen: Callable[[str, str], RowsSnapshot | None],
    options: Mapping[str, str] = NOTHING,
) -> WorkspaceSnapshot:
    """The workspace as a whole. `screen(path, kind)` reads a file of rows, None where it cannot be read."""
    form, rule = load(workspace.agent), rules(workspace.agent)
    rows = {one.path: one.rows for one in seen}
    sessions = []
    for one in seen:
        key = one.header.get("key")
        key = key if isinstance(key, str) and key else None
        expected = form.layout.name_of(key, workspace.era) if key else None
        told = form.layout.key_of(workspace, one.path)
        sessions.append(SessionState(one.path, key, told, expected, one.rows, one.header))
    journals = form.journal.files(workspace) if form.journal and not workspace.files else []
    states = []
    for journal in journals:
        read = rows.get(journal.path) or (screen(journal.path, "journal") if os.path.lexists(journal.path) else None)
        states.append(journal_state(journal, read, rule))
    leftovers = [place.path for place in files if place.kind == "leftover"]
    return WorkspaceSnapshot(
        workspace,
        list(file_snapshots(workspace, files)),
        sessions,
        states,
        [*_copies([place.path for place in files])],
        [(path, target) for path in leftovers if (target := becomes(path)) is not None],
        [] if workspace.files else holding.held(workspace),
        _beginning,
        lambda path: screen(path, "session"),
        time.time(),
        options,
        _parts([path for path in leftovers if is_part(os.path.basename(path))]),
        repositories.states(workspace),
    )


def journal_state(journal: JournalFile, read: RowsSnapshot | None, rule: Rules) -> JournalState:
    """A journal with its cursors; `read` is what was read of it, None where it cannot be read."""
    allocated = cursor_state(journal.allocated, rule, processed=False)
    last = largest = None
    if read is not None:
        facts = read.facts
        numbers = [number for number, flag in zip(facts.ids, facts.flags, strict=True) if flag & NUMBER]
        largest = max(numbers, default=None)
        last = facts.ids[-1] if len(facts) and facts.flags[-1] & NUMBER else None
    return JournalState(
        journal.path,
        read,
        allocated,
        cursor_state(journal.processed, rule, processed=True),
        rule.CURSORS,
        0,
        rule.upcoming(allocated.number if allocated else None, last, largest),
    )


def cursor_state(path: str | None, rule: Rules, *, processed: bool) -> CursorState | None:
    """What a cursor file holds, and what the agent makes of it; None when the format has no such file."""
    if path is None:
        return None
    if not os.path.lexists(path):
        return CursorState(path, used=rule.used(None, False, processed))
    raw = _beginning(path, CURSOR_LIMIT)
    text = raw.decode("utf-8", "replace")
    number = rule.cursor(text)
    return CursorState(path, text, number, _dialect(text), rule.used(number, True, processed))


def _dialect(text: str) -> str:
    """Another agent's way to keep its position, in words; "" for a number or for garbage."""
    text = text.strip()
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*", text):
        return "a time"
    if text.startswith("{") and text.endswith("}"):
        return "a JSON object"
    return "a record's id" if re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,64}", text) else ""


def _copies(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    names: dict[str, set[str]] = {}
    for path in paths:
        folder, name = os.path.split(path)
        names.setdefault(folder, set()).add(name)
    for path in paths:
        folder, name = os.path.split(path)
        original = original_of(name, names[folder])
        if original is not None:
            yield path, os.path.join(folder, original)


def _parts_in(folder: str) -> list[str]:
    try:
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if is_part(name))
    except OSError:
        return []


def _parts(paths: Sequence[str]) -> list[PartState]:
    """What is known of files that memcli itself made."""
    if not paths:
        return []
    try:
        known = unfinished.parts()
    except RefusedForSafety:  # the state folder is somebody else's: nothing in it counts
        known = {}
    found = []
    for path in paths:
        store = known.get(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))
        found.append(PartState(path, store is not None, store is not None and unfinished.at_work(store)))
    return found


def becomes(path: str) -> str | None:
    """The path that a temporary file was to become, "" when its name does not tell, None when it is no temporary file."""
    folder, name = os.path.split(path)
    if not name.endswith(".tmp"):
        return None
    stem = name.removesuffix(".tmp")
    hidden = re.fullmatch(r"\.(.+)\.[0-9a-f]{16}", stem)
    if hidden:
        return os.path.join(folder, hidden[1])
    return "" if stem.startswith(".atomic_") else os.path.join(folder, stem)


def _beginning(path: str, limit: int) -> bytes:
    try:
        fd = open_regular(path)
    except CannotRead:
        return b""
    try:
        return os.pread(fd, limit, 0)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _status(path: str, look: Callable[[str], os.stat_result]) -> os.stat_result | None:
    try:
        return look(path)
    except OSError:
        return None


def reachable(folder: str, top: str = "") -> bool:
    """Whether others than the owner can go into a folder, through all folders above it, up to `top` where that is one."""
    while folder != top:
        status = _status(folder, os.stat)
        if status is None or not status.st_mode & 0o011:
            return False
        above = os.path.dirname(folder)
        if above == folder:
            return True
        folder = above
    return True
