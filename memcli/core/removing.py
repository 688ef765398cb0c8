"""Removing sessions with what the agent keeps beside them, so that undo brings back every byte, and a mirror knows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import copies, guarding, listing, sealing, selecting, surroundings
from memcli.core.rows import preamble
from memcli.errors import UsageError
from memcli.formats import load, rules
from memcli.formats.copies import original_of
from memcli.model import SessionRef, Workspace
from memcli.storage import tombstones, undo
from memcli.storage.lines import count
from memcli.storage.reading import open_regular, unreadable
from memcli.storage.tombstones import Tombstone
from memcli.storage.versions import Version, read_version, version_of

WHAT = "rm"
"""What the operation is called in `undo --list`."""


class Sidecar(NamedTuple):
    """A file that goes with a session."""

    path: str
    version: Version


class Removal(NamedTuple):
    """One session that is to go: `rows` in the file, `sidecars` that go with it, `left` other files that show the chat or
    hold rows of it, and stay."""

    ref: SessionRef
    version: Version
    rows: int
    sidecars: list[Sidecar]
    left: list[str]


class Removed(NamedTuple):
    """What became of the removals of one workspace: the operation's id, "" when nothing was removed and `refused` says why."""

    workspace: Workspace
    id: str
    refused: list[str]


def named(
    arguments: Sequence[str], workspaces: list[str] | None, agent: str | None, *, exact: bool, tz: str = ""
) -> list[SessionRef]:
    """The sessions that are meant, each once. With `exact` a part of a key or title means none. Raises UsageError."""
    refs = [
        selecting.of_file(one, agent) if selecting.is_file(one) else copies.session(one, workspaces, agent, tz)
        for one in arguments
    ]
    for argument, ref in zip(arguments, refs, strict=True):
        if exact and not selecting.is_file(argument) and argument not in (ref.key, selecting.LATEST):
            raise UsageError(
                f"{argument!r} is only a part of {ref.key}; without a question --yes removes what is named by its whole key."
            )
        if listing.shown(ref.workspace, ref.path) != ref.path or (ref.workspace.files and ref.shown != ref.path):
            raise UsageError(f"{ref.shown} is no file in its place; nothing was removed.")
        guarding.check_own(ref.path)
    return list({os.path.realpath(ref.path): ref for ref in refs}.values())


def plan(refs: Sequence[SessionRef]) -> list[Removal]:
    """What would go. Changes nothing. Raises CannotRead, UsageError for an agent's journal that is no session."""
    return [_planned(ref) for ref in refs]


def carry_out(
    removals: Sequence[Removal], *, command: Sequence[str], idle: float, force_live: bool = False, now: float
) -> list[Removed]:
    """Remove the sessions, those of one workspace as one operation, and leave a tombstone for each; `now` is the time, in
    seconds since the epoch. Raises RefusedForSafety when a file changed meanwhile, CannotWrite."""
    groups: dict[str, list[Removal]] = {}
    for removal in removals:
        groups.setdefault(sealing.store(removal.ref.workspace).id, []).append(removal)
    return [_removed(group, command, idle, force_live, now) for group in groups.values()]


def _planned(ref: SessionRef) -> Removal:
    workspace = ref.workspace._replace(files=())
    form = load(ref.agent)
    fd = open_regular(ref.path)
    try:
        version = version_of(fd)
        headers = preamble(fd, form).headers
        counted = count(fd, version.size)
        ended = not version.size or os.pread(fd, 1, version.size - 1) == b"\n"
    except OSError as error:
        raise unreadable(ref.path, error) from error
    finally:
        os.close(fd)
    rows = max(0, counted.newlines + (not ended) - counted.blanks - headers)
    beside = [path for path in _beside(workspace, ref) if os.path.isfile(path) and not os.path.islink(path)]
    sidecars = [Sidecar(path, read_version(path)) for path in dict.fromkeys(beside) if path != ref.path]
    return Removal(ref, version, rows, sidecars, _left(workspace, ref))


def _beside(workspace: Workspace, ref: SessionRef) -> list[str]:
    """What the agent keeps for this session alone: the file that counts its messages, saves that were interrupted, the
    cursors of a journal that is a session."""
    form = load(ref.agent)
    counted = rules(ref.agent).counted_beside(ref.path)
    found = [counted[0]] if counted else []
    for path in form.layout.leftovers(workspace):
        if surroundings.becomes(path) == ref.path:
            found.append(path)
    for journal in form.journal.files(workspace) if form.journal else []:
        if os.path.realpath(journal.path) == os.path.realpath(ref.path):
            if ref.path not in set(form.layout.session_paths(workspace)):
                raise UsageError(f"{ref.shown} is the agent's journal and no session; nothing was removed.")
            found += [path for path in (journal.allocated, journal.processed) if path]
    return found


def _left(workspace: Workspace, ref: SessionRef) -> list[str]:
    """Files that show the chat or hold rows of it, and are none of the session's own."""
    folder, name = os.path.split(ref.path)
    names = set(os.listdir(folder))
    copies = sorted(one for one in names if original_of(one, names) == name)
    shown = load(ref.agent).layout.displays(workspace, ref.key)
    return [*(os.path.join(folder, one) for one in copies), *shown]


def _removed(group: Sequence[Removal], command: Sequence[str], idle: float, force_live: bool, now: float) -> Removed:
    workspace = group[0].ref.workspace
    files = {path: version for one in group for path, version in [(one.ref.path, one.version), *one.sidecars]}
    refused = guarding.refusal(workspace, list(files), idle, force_live)
    if refused:
        return Removed(workspace, "", refused)
    store = sealing.store(workspace)
    with undo.begin(
        store,
        WHAT,
        command=command,
        agent=workspace.agent,
        locks=guarding.locks_of(workspace, list(files)),
        beacons=guarding.beacons_of(workspace),
    ) as operation:
        for path, version in files.items():
            operation.remove(path, version, root=guarding.root_of(workspace, path))
        record = operation.commit()
        tombstones.add(store, [_stone(one, record.id, now) for one in group])
    return Removed(workspace, record.id, [])


def _stone(one: Removal, operation: str, now: float) -> Tombstone:
    from memcli.times import iso

    ref = one.ref
    return Tombstone(
        ref.key, ref.agent, ref.workspace.root, iso(now), one.version.sha256, one.rows, ref.path, operation
    )
