"""Rows in memcli's archive as sessions: unpacked for as long as they are read, so that every reader of files can read them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from memcli.core import listing, recent, sealing
from memcli.core.recent import Recent
from memcli.errors import RefusedForSafety
from memcli.formats import load
from memcli.model import SessionRef, Workspace
from memcli.storage import row_archive
from memcli.storage.row_archive import Broken, Series
from memcli.storage.scratch import private_folder

Told = Callable[[Broken], object]
"""Is told of each damaged place."""


def series(ref: SessionRef) -> Series | None:
    """What was taken out of a session, None for nothing."""
    try:
        return row_archive.find(sealing.store(ref.workspace), ref.path, ref.key)
    except RefusedForSafety:  # the state folder is another user's
        return None


def every(workspace: Workspace) -> list[Series]:
    """What was taken out of the sessions of a workspace, also of such as are gone; of the files that were named, if some were."""
    if workspace.files:
        named = (SessionRef(workspace.agent, _key(workspace, path), path, path, workspace) for path in workspace.files)
        return [one for one in map(series, named) if one is not None]
    try:
        found = row_archive.every(sealing.store(workspace))
    except RefusedForSafety:
        return []
    return sorted(found, key=lambda one: (one.session, one.folder))


@contextmanager
def unpacked(found: Series, workspace: Workspace, told: Told) -> Iterator[SessionRef]:
    """The rows of a series as a session of the workspace, in a file that goes again at the end of the with block."""
    ref = reference(found, workspace, told)
    try:
        yield ref
    finally:
        os.unlink(ref.path)


def reference(found: Series, workspace: Workspace, told: Told) -> SessionRef:
    """The same in a file that is there until memcli ends."""
    broken: list[Broken] = []
    name = os.path.basename(found.origin) or f"{os.path.basename(found.folder)}.jsonl"
    path = os.path.join(private_folder(), name)
    with open(path, "wb", 1 << 20) as file:
        for one in row_archive.lines(found, broken):
            if one.line.raw is not None:
                file.write(one.line.raw + b"\n" * one.line.ended)
    for place in broken:
        told(place)
    key = found.session or _key(workspace, path)
    alone = workspace._replace(files=(path,), shown=found.folder)
    return SessionRef(workspace.agent, key, path, found.folder, alone, archived=True)


def at(folder: str, told: Told) -> SessionRef | None:
    """The rows of the series in a folder that the user named; None where it is none."""
    found = row_archive.series(folder)
    if found is None:
        return None
    from memcli.core.discovering import single

    home = os.path.dirname(found.origin)
    near = single(found.origin, found.agent or None) if os.path.isdir(home) else None
    workspace = near or Workspace(found.agent or "jsonl", home or folder)
    return reference(found, workspace, told)


def searched(
    targets: Iterable[tuple[Workspace, list[str]]], known: dict[str, SessionRef], told: Told, *, whole: bool
) -> Iterator[tuple[Workspace, list[str]]]:
    """The files to search, and behind those of each workspace what was taken out of them, unpacked one after the other.

    `whole`: all of a workspace is meant, also what is left of sessions that are gone. `known` gets the session of each unpacked
    file.
    """
    for workspace, paths in targets:
        yield workspace, paths
        for found in every(workspace if whole else workspace._replace(files=tuple(paths))):
            with unpacked(found, workspace, told) as ref:
                known[ref.path] = ref
                yield ref.workspace, [ref.path]


def last(refs: list[SessionRef], n: int, *, roles: tuple[str, ...], numbered: bool, tz: str, told: Told) -> Recent:
    """The last `n` records of the sessions and of what was taken out of them (recent.recent).

    Of one session, what was taken out is before all that is in its file.
    """
    found = recent.recent(refs, n, roles=roles, numbered=numbered, tz=tz)
    kept = [(ref, one) for ref in refs if (one := series(ref)) is not None]
    if len(refs) == 1 and kept and len(found.shown) < n:
        with unpacked(kept[0][1], refs[0].workspace, told) as older:
            before = recent.recent([older], n - len(found.shown), roles=roles, numbered=numbered, tz=tz)
        found = _together(found, before, [*before.shown, *found.shown])
    elif len(refs) > 1:
        for ref, one in kept:
            with unpacked(one, ref.workspace, told) as older:
                before = recent.recent([older], n, roles=roles, numbered=numbered, tz=tz)
            found = _together(found, before, recent.merged([before.shown, found.shown], n, tz))
    return found


def _together(found: Recent, before: Recent, shown: list[recent.Shown]) -> Recent:
    lines = found.skipped_lines + before.skipped_lines
    return found._replace(shown=shown, skipped_lines=lines, skipped_bytes=found.skipped_bytes + before.skipped_bytes)


def _key(workspace: Workspace, path: str) -> str:
    form = load(workspace.agent)
    return listing.header_key(form, path) or form.layout.key_of(workspace, path)
