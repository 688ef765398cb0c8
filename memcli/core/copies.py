"""Which two copies of a chat are meant, and where one goes that does not exist yet.

A copy can be anything that holds rows: a backup, a sync tool's second version, a temporary file, an undo copy, a chat of
another workspace. What it does not tell by itself (a few rows look like anybody's) is taken from the other one.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from memcli.core import archived, discovering, listing, selecting
from memcli.core.listing import SessionRow
from memcli.errors import AmbiguousSession, NothingFound, UnknownSession, UsageError
from memcli.formats import load
from memcli.formats.reading import sample_values
from memcli.model import SessionRef, Workspace

ANY = "jsonl"
"""The format of files that nothing tells an agent of."""
SESSIONS = "sessions"
"""What a folder of sessions is called by every agent that has one for all of them."""


class Pair(NamedTuple):
    """Two copies. `new`: there is no file at A yet."""

    a: SessionRef
    b: SessionRef
    new: bool = False


def two(a: str, b: str, named: list[str] | None, agent: str | None, tz: str = "") -> Pair:
    """The sessions that two arguments mean. Raises UsageError when they are of different agents."""
    first = _one(a, named, agent, tz)
    second = _one(b, named, agent, tz, first)
    if first.agent != second.agent and first.agent == ANY and is_path(a) and not _is_sure(first):
        first = _file(a, second.agent, second)
    if first.agent != second.agent and is_path(b) and not _is_sure(second):
        second = _file(b, first.agent, first)
    _check(first, second)
    return Pair(first, second)


def target(a: str, b: str, named: list[str] | None, agent: str | None, tz: str = "") -> Pair:
    """The same with A as what is written to: a key or a path that the format could have is new when nothing is there.

    A key that no session has is not taken for a part of another one when B is a copy of just that key.
    """
    if is_path(a):
        path = os.path.abspath(os.path.expanduser(a))
        return two(a, b, named, agent, tz) if os.path.lexists(path) else _new_at(path, b, named, agent, tz)
    try:
        pair = two(_exact(a, named, agent, tz), b, named, agent, tz)
    except (UnknownSession, NothingFound) as error:
        other = _one(b, named, agent, tz)
        if a == selecting.LATEST:
            raise
        return _new_called(a, other, named, error, tz)
    name = load(pair.a.agent).layout.name_of(pair.a.key, pair.a.workspace.era)
    if os.path.realpath(pair.a.path) == os.path.realpath(pair.b.path) and name not in (
        None,
        os.path.basename(pair.a.path),
    ):
        return _new_called(a, pair.b, named, UnknownSession(f"No session has the key {a!r}.", session=a), tz)
    return pair


def session(argument: str, named: list[str] | None, agent: str | None, tz: str = "") -> SessionRef:
    """The session that an argument means. Of several files with its very key (a sync tool's copy is one, too) it is that
    which the agent itself calls so. Raises UnknownSession, AmbiguousSession."""
    try:
        return selecting.one(argument, named, agent, tz)
    except AmbiguousSession:
        workspaces = discovering.find(named, agent)
        own = [row for row in listing.sessions(workspaces, tz) if row.key == argument and _is_in_place(row, workspaces)]
        if len(own) != 1:
            raise
        return listing.reference(own[0], workspaces)


def _is_in_place(row: SessionRow, workspaces: list[Workspace]) -> bool:
    """Whether a file has the name that its key maps to."""
    era = workspaces[row.place].era
    return load(row.agent).layout.name_of(row.key, era) == os.path.basename(row.file)


def is_path(argument: str) -> bool:
    """Whether an argument is meant as a file, one that does not exist yet included."""
    return selecting.is_file(argument) or (os.sep in argument and argument.endswith(".jsonl"))


def _exact(a: str, named: list[str] | None, agent: str | None, tz: str) -> str:
    """`a`, when a session has just that key or it is @latest. Raises UnknownSession."""
    rows = listing.sessions(discovering.find(named, agent), tz)
    if a != selecting.LATEST and not any(row.key == a for row in rows):
        raise UnknownSession(f"No session has the key {a!r}.", session=a)
    return a


def _one(
    argument: str, named: list[str] | None, agent: str | None, tz: str, like: SessionRef | None = None
) -> SessionRef:
    return _file(argument, agent, like) if is_path(argument) else session(argument, named, agent, tz)


def _file(argument: str, agent: str | None, like: SessionRef | None) -> SessionRef:
    """The session in a file; of an archive that holds several, the one with the key of the other copy, else the newest."""
    path = os.path.expanduser(argument)
    if os.path.isdir(path):
        taken = archived.at(path, lambda place: None)
        if taken is not None:
            return taken
        raise UnknownSession(f"{argument} is a folder; name a session in it.", session=argument)
    workspaces = discovering.at(path, agent)
    rows = listing.sessions(workspaces)
    if not rows:
        raise UnknownSession(f"There is no session in {argument}.", session=argument)
    row = next((row for row in rows if like and row.key == like.key), rows[0])
    return listing.reference(row, workspaces)


def _is_sure(ref: SessionRef) -> bool:
    """Whether the content alone tells whose it is."""
    return load(ref.agent).records.score(sample_values(ref.path)) >= discovering.SURE


def _check(a: SessionRef, b: SessionRef) -> None:
    if a.agent != b.agent:
        raise UsageError(
            f"{a.shown} is a chat of {a.agent} and {b.shown} one of {b.agent}; only copies of one chat can be put side by "
            "side. --agent forces one format."
        )


def _new_at(path: str, b: str, named: list[str] | None, agent: str | None, tz: str) -> Pair:
    """A new session at a path, which must be one where the agent looks for its sessions."""
    folder = os.path.realpath(os.path.dirname(path))
    if not os.path.isdir(folder):
        raise UsageError(f"{path} does not exist, and {os.path.dirname(path)} is no folder.")
    found = [
        workspace
        for workspace in discovering.at(os.path.dirname(path), agent)
        if any(os.path.realpath(one) == folder for one in workspace.sessions)
    ]
    other = _one(b, named, agent, tz)
    if found and other.agent != found[0].agent and is_path(b) and not _is_sure(other):
        other = _file(b, found[0].agent, None)
    workspace = next((one for one in found if one.agent == other.agent), None)
    if not found and os.path.basename(folder) == SESSIONS:
        workspace = _emptied(os.path.dirname(path), other.agent)
    if workspace is None:
        raise UsageError(
            f"{path} does not exist, and its folder is none in which {other.agent} keeps sessions; --to FILE writes elsewhere."
        )
    layout = load(workspace.agent).layout
    told = layout.key_of(workspace, path)
    name = layout.name_of(_key(other) or told, workspace.era)
    expected = os.path.basename(path) if name is None else name
    if os.path.basename(path) != expected or not path.endswith(".jsonl"):
        raise UsageError(f"{workspace.agent} keeps {_key(other) or told} in {expected}; name the new file so.")
    return Pair(SessionRef(workspace.agent, _key(other) or told, path, path, workspace._replace(files=())), other, True)


def _new_called(a: str, other: SessionRef, named: list[str] | None, error: UsageError, tz: str) -> Pair:
    """A new session with the key `a`, or the one of which `a` is a part."""
    try:
        workspaces = discovering.find(named, None)
    except NothingFound:
        workspaces = [found for value in named or () if (found := _emptied(value, other.agent))]
        if not workspaces:
            raise error from None
    own = _key(other)
    if own != a:
        rows = listing.sessions(workspaces, tz)
        try:
            row = selecting.match(a, rows)
        except UnknownSession:
            if own is not None:
                raise
        else:
            ref = listing.reference(row, workspaces)
            _check(ref, other)
            return Pair(ref, other)
    places = [workspace for workspace in workspaces if workspace.agent == other.agent and workspace.sessions]
    if len(places) != 1:
        where = ", ".join(workspace.root for workspace in places)
        raise UsageError(
            f"No session has the key {a}, and where it would be made is not certain: "
            f"{f'it could be {where}' if places else f'there is no workspace of {other.agent}'}. Name a workspace with -W."
        ) from error
    [workspace] = places
    name = load(workspace.agent).layout.name_of(a, workspace.era)
    if name is None:
        raise UsageError(
            f"No session has the key {a}, and no rule of its format leads from a key to a file; name the new file by its path."
        ) from error
    path = os.path.join(workspace.sessions[0], name)
    if os.path.lexists(path):
        raise UsageError(f"No session has the key {a}, but its file {path} is there; name it by its path.") from error
    return Pair(SessionRef(workspace.agent, a, path, path, workspace), other, True)


def _emptied(folder: str, agent: str) -> Workspace | None:
    """A workspace that was named and in which nothing is left to know it by; None when it has no folder for sessions."""
    root = os.path.abspath(os.path.expanduser(folder))
    if os.path.basename(root) == SESSIONS:
        root = os.path.dirname(root)
    for inside in (root, os.path.join(root, "workspace")):
        sessions = os.path.join(inside, SESSIONS)
        if os.path.isdir(sessions):
            return Workspace(agent, inside, (sessions,), shown=inside)
    return None


def _key(ref: SessionRef) -> str | None:
    """The key in a file's own header."""
    return listing.header_key(load(ref.agent), ref.path)
