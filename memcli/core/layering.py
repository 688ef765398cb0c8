"""The layers of long-term memory as an agent's prompt gets them, now or at an earlier time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from memcli import times
from memcli.core.naming import shown
from memcli.core.revisions import Repository, commit_of, content, moment, repositories, unknown_revision
from memcli.damage.remembered import worded
from memcli.errors import CannotRead, NoHistory, UsageError
from memcli.formats import load, longterm, remembering
from memcli.formats.facets import Layer, MemoryFile
from memcli.model import Workspace
from memcli.storage import git_history
from memcli.storage.git_history import Commit
from memcli.storage.passages import lines_of

DAY = 86400
AGENTS = 20
"""So many known users are named in an error."""


class Seen(NamedTuple):
    """One layer. `state`: "sent", "missing", "empty", "left-out" (no prompt has it), "fails" (its bytes end every turn with an
    error), "unreadable", or "unknown" (no history tells what it was). `text` is what a prompt gets of it, `characters` how many
    the file has and `cut` how many of them the prompt has not. `why` is a clause on what is odd, `aged` how many lines got
    their age. `commit` is the one that the text is of, None for the file on disk."""

    workspace: Workspace
    layer: Layer
    shown: str
    state: str
    text: str = ""
    characters: int = 0
    cut: int = 0
    aged: int = 0
    why: str = ""
    commit: Commit | None = None


class _Point(NamedTuple):
    """A moment of the past: a commit of one repository, and the time for all others."""

    folder: str
    commit: str
    seconds: float


def show(
    workspaces: Sequence[Workspace],
    *,
    user: str | None = None,
    at: str | None = None,
    dream: bool = False,
    tz: str = "",
) -> list[Seen]:
    """The layers of all workspaces, in the order of the prompt. `user`: of the layers of users that of this one. `at`: a commit
    or a time. `dream`: as the agent's Dream gets them. Raises UsageError, UnknownRevision, NoHistory."""
    wanted = [
        (workspace, layer)
        for workspace in workspaces
        if load(workspace.agent).memory is not None and not workspace.files
        for layer in longterm(workspace.agent).layers(workspace, dream)
    ]
    if user is not None:
        wanted = _of_user(wanted, user)
    kept = repositories(workspaces) if at is not None else _kept(wanted, workspaces)
    point = None if at is None else _point(at, kept, tz)
    return [_seen(workspace, layer, kept, point) for workspace, layer in wanted]


def _of_user(wanted: Sequence[tuple[Workspace, Layer]], user: str) -> list[tuple[Workspace, Layer]]:
    by_user = [pair for pair in wanted if pair[1].layer.startswith("user:")]
    agents = {workspace.agent for workspace, _ in wanted}
    if not any(longterm(agent).user_names(user) for agent in agents):
        raise UsageError(f"{' and '.join(sorted(agents)) or 'This agent'} keeps no memory by user; leave --user out.")
    mine = [
        (workspace, layer)
        for workspace, layer in by_user
        if layer.layer.removeprefix("user:") in longterm(workspace.agent).user_names(user)
    ]
    if not mine:
        names = {name for agent in agents for name in longterm(agent).user_names(user)[:1]}
        there = sorted({layer.layer.removeprefix("user:") for _, layer in by_user})
        known = f"; there is something of {', '.join(there[:AGENTS])}" if there else ""
        raise UsageError(f"Nothing is kept of the user {user!r} (folder {', '.join(sorted(names))}){known}.")
    return [pair for pair in wanted if not pair[1].layer.startswith("user:") or pair in mine]


def _kept(wanted: Sequence[tuple[Workspace, Layer]], workspaces: Sequence[Workspace]) -> list[Repository]:
    """The repositories, where the age of lines is asked for."""
    if not any(layer.stale is not None for _, layer in wanted):
        return []
    try:
        return repositories(workspaces)
    except (NoHistory, CannotRead):  # as the agent does: then no line gets an age
        return []


def _point(at: str, kept: Sequence[Repository], tz: str) -> _Point:
    for one in kept:
        commit = commit_of(at, one)
        if commit is not None:
            made = git_history.described(one.folder, [commit])[commit].time
            return _Point(one.folder, commit, times.parse(made) or 0.0)
    seconds = moment(at, tz)
    if seconds is None:
        raise unknown_revision(at, kept)
    return _Point("", "", seconds)


def _seen(workspace: Workspace, layer: Layer, kept: Sequence[Repository], point: _Point | None) -> Seen:
    seen = Seen(workspace, layer, shown(workspace, layer.path), "sent")
    found = _place(layer.path, kept, point)
    commit: str | None = None
    try:
        if point is None:
            raw = content(layer.path)
            if found and layer.stale is not None:
                commit = git_history.head(found[0].folder)
        elif found is None:
            return seen._replace(state="unknown", why="no commit has it")
        else:
            one, name = found
            commit = point.commit if point.folder == one.folder else git_history.before(one.folder, point.seconds)
            if commit is None:
                return seen._replace(state="unknown", why="its history begins later")
            [raw] = git_history.contents(one.folder, [(commit, name)])
            seen = seen._replace(commit=git_history.described(one.folder, [commit])[commit])
    except CannotRead as error:
        if point is not None:
            raise
        return seen._replace(state="unreadable", why=str(error.facts["why"]))
    if raw is None:
        return seen._replace(state="missing")
    ages: list[int] = []
    if layer.stale is not None and found and commit is not None:
        ages = _ages(*found, commit, raw, point.seconds if point else time.time())
    return _told(seen, raw, ages)


def _place(path: str, kept: Sequence[Repository], point: _Point | None) -> tuple[Repository, str] | None:
    """The repository that has a file, and its name there; that of the point, where several have it."""
    for one in sorted(kept, key=lambda one: point is None or one.folder != point.folder):
        for file in one.files:
            if file.path == path:
                return one, file.name
    return None


def _told(seen: Seen, raw: bytes, ages: Sequence[int]) -> Seen:
    """What a prompt gets of these bytes."""
    layer = seen.layer
    text = raw.decode("utf-8", "replace")
    seen = seen._replace(characters=len(text))
    if layer.strict and not _is_utf8(raw):
        return seen._replace(state="fails", text=text, why="it is not UTF-8, and the agent fails on that")
    if layer.left_out:
        return seen._replace(state="left-out", text=text, why=layer.left_out)
    if not text.strip():
        return seen._replace(state="empty")
    if _is_template(seen, text):
        return seen._replace(state="left-out", text=text, why="it is as the agent made it, with nothing filled in")
    if layer.strip:
        text = text.strip()
    aged = 0
    if layer.stale is not None and ages:
        text, aged = _with_ages(text, ages, layer.stale)
    length = len(text)
    kept = _beginning(text, layer.cap, layer.utf16)
    if len(kept) < length:
        return seen._replace(text=kept + layer.cut, cut=length - len(kept), aged=aged)
    return seen._replace(text=text, aged=aged)


def _is_template(seen: Seen, text: str) -> bool:
    """Whether a file says nothing but what the agent makes a new one of, and the agent leaves such a file out."""
    rules = remembering(seen.workspace.agent).memory_rules(seen.workspace, MemoryFile(*seen.layer[:2]))
    if rules is None or not rules.skipped:
        return False
    words = {worded(line.lstrip("# ")) for line in text.split("\n") if line.strip(" -*_\r")}
    return bool(rules.template) and words <= {*rules.template, *rules.unfilled} and bool(words & rules.unfilled)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _beginning(text: str, cap: int | None, utf16: bool) -> str:
    if cap is None:
        return text
    if not utf16:
        return text[:cap]
    return text.encode("utf-16-le", "surrogatepass")[: cap * 2].decode("utf-16-le", "replace")


def _ages(repository: Repository, name: str, commit: str, raw: bytes, now: float) -> list[int]:
    """The age of each line in days by the UTC calendar; [] when the file is not as the commit has it, line by line."""
    try:
        sources = git_history.blame(repository.folder, commit, name)
        known = git_history.described(repository.folder, [source.commit for source in sources])
    except CannotRead:  # as the agent does: then no line gets an age
        return []
    if len(sources) != len(lines_of(raw)):
        return []
    return [int(now // DAY - (times.parse(known[source.commit].time) or now) // DAY) for source in sources]


def _with_ages(text: str, ages: Sequence[int], stale: int) -> tuple[str, int]:
    lines = text.splitlines()
    if len(lines) != len(ages):
        return text, 0
    aged = 0
    for place, (line, age) in enumerate(zip(lines, ages, strict=True)):
        if line.strip() and age > stale:
            lines[place] = f"{line}  ← {age}d"
            aged += 1
    return "\n".join(lines) + ("\n" if text.endswith("\n") else ""), aged
