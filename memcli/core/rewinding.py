"""Setting Dream's position back to where it was, so that what it read since is dreamt again."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memcli.core import journals, positions
from memcli.core.journals import Journal
from memcli.core.naming import shown
from memcli.core.positions import State
from memcli.core.revert_target import EVERY, REVERTS
from memcli.core.revision_log import Entry, Moved
from memcli.core.revisions import Repository
from memcli.errors import UsageError
from memcli.formats import load, rules
from memcli.storage import git_history

CURSOR = "Memcli-Cursor"
"""The trailer `BEFORE..AFTER NAME` of a commit that moved Dream's position in the journal that is called so."""


class Rewind(NamedTuple):
    """A position that is set with the files. `name` is that of its file in the repository, "" for one that is not in there;
    `sentence` says what that brings."""

    state: State
    number: int
    name: str
    sentence: str

    @property
    def moves(self) -> bool:
        """Whether it is not there already."""
        return self.number != self.state.position.used

    @property
    def trailer(self) -> str:
        """What the commit's message says of it."""
        return f"{self.state.position.used}..{self.number} {self.state.journal.name}"

    @property
    def data(self) -> bytes:
        """What the file has afterwards."""
        return str(self.number).encode()


class _Move(NamedTuple):
    journal: Journal
    before: int
    after: int


def to_before(entry: Entry) -> Rewind:
    """The position as it was before a commit. Raises UsageError, which says why it stays: nobody knows what it was, entries would
    be skipped, or later Dreams stand on it."""
    moved = _of(entry)
    if not moved and any(one.endswith(" sessions") for one in entry.commit.trailers.get(CURSOR, ())):
        raise UsageError(
            f"--rewind-cursor: {_id(entry)} read chats, and how far those are read is noted row by row, not as a position. "
            "Nothing was changed; without the option the commit is reverted, and the chats stay read."
        )
    if not moved:
        raise _refused(f"{_id(entry)} does not say that it moved Dream's position in a journal, nor from where")
    move = _only(moved, f"{_id(entry)} moved")
    state, now = _now(move.journal)
    if now != move.after:
        later = f"entries {move.after + 1} to {now} were dreamt since" if now > move.after else f"it is {now} now"
        again = f"; entries {move.before + 1} to {now} would be dreamt again" if now > move.before else ""
        raise _refused(
            f"{_id(entry)} left Dream's position in {move.journal.shown} at {move.after}, and {later}{again}"
        )
    return _rewind(entry.repository, state, now, move.before, forward=REVERTS in entry.commit.trailers)


def to_state(entry: Entry) -> Rewind:
    """The position as it was when a commit was made. Raises UsageError, which says why it stays."""
    moved = _known_at(entry)
    if not moved:
        raise _refused(f"nothing says what Dream's position was at {_id(entry)}")
    move = _only(moved, f"{_id(entry)} has")
    state, now = _now(move.journal)
    return _rewind(entry.repository, state, now, move.after)


def stays(entry: Entry) -> str:
    """A sentence on what it means that a revert of this commit leaves the position as it is."""
    spans = [(move.before, move.after) for move in _of(entry)]
    if not spans and entry.commit.subject.startswith("compact: "):
        return "The summaries in the chats stay as they are, and so do their rows."
    if not spans:
        return "What was read stays read, and is not read again."
    [(before, after), *_] = spans
    if before >= after:
        return "Dream's position stays as it is; --rewind-cursor sets it, too."
    what = f"entry {after}" if after == before + 1 else f"entries {before + 1} to {after}"
    return (
        f"What it read ({what} of the journal) stays read, and is not dreamt again; --rewind-cursor sets Dream's position back "
        "with it."
    )


def _rewind(repository: Repository, state: State, now: int, number: int, *, forward: bool = False) -> Rewind:
    where = state.journal.shown
    if number > now and not forward:
        raise _refused(f"Dream's position in {where} is {now}, and {number} would skip the entries between")
    sentence = f"Dream's position in {where} goes from {now} to {number}"
    if number == now:
        sentence = f"Dream's position in {where} is {now} already"
    elif number < now:
        span = f"entry {now}" if now == number + 1 else f"entries {number + 1} to {now}"
        sentence = f"Dream's position in {where} goes back from {now} to {number}: {span} will be dreamt again"
    return Rewind(state, number, _tracked(repository, state), f"{sentence}.")


def _of(entry: Entry) -> list[_Move]:
    """What a commit did to positions, by its own words or by the files in it."""
    return _by_words(entry.repository, entry.commit.trailers) or _by_files(entry.repository, entry.cursors)


def _known_at(entry: Entry) -> list[_Move]:
    """The positions as they were when a commit was made: as its files have them, or as the last one before it says."""
    one, id = entry.repository, entry.commit.id
    held = git_history.contents(one.folder, [(id, name) for name in one.cursors])
    moved = [Moved(one.show(name), None, _text(raw)) for name, raw in zip(one.cursors, held, strict=True)]
    found = _by_files(one, [each for each in moved if each.after is not None])
    for commit in () if found else git_history.log(one.folder, EVERY, start=id):
        found = _by_words(one, commit.trailers)
        if found:
            break
    return found


def _by_words(repository: Repository, trailers: Mapping[str, Sequence[str]]) -> list[_Move]:
    known = _journals(repository)
    found = []
    for value in trailers.get(CURSOR, ()):
        told = re.fullmatch(r"(\d{1,18})\.\.(\d{1,18})(?: (.*))?", value)
        if told:
            mine = [one for one in known if told[3] in (one.name, one.shown, one.file.path)]
            mine = mine or (known if told[3] is None and len(known) == 1 else [])
            found += [_Move(one, int(told[1]), int(told[2])) for one in mine[:1]]
    return found


def _by_files(repository: Repository, cursors: Sequence[Moved]) -> list[_Move]:
    found = []
    for moved in cursors:
        for journal in _journals(repository):
            path = journal.file.processed
            if path and shown(journal.workspace, path) == moved.path:
                before, after = (_number(journal, text) for text in (moved.before, moved.after))
                found.append(_Move(journal, before, after))
    return found


def _number(journal: Journal, text: str | None) -> int:
    """The number that the agent reads in its file."""
    rule = rules(journal.workspace.agent)
    return rule.used(None if text is None else rule.cursor(text), text is not None, True) or 0


def _only(moved: Sequence[_Move], what: str) -> _Move:
    if len(moved) > 1:
        raise _refused(f"{what} the positions of several journals")
    return moved[0]


def _now(journal: Journal) -> tuple[State, int]:
    state = positions.state(journal)
    now = state.position.used
    if state.position.dialect or now is None:
        raise _refused(f"{state.position.path} holds no position of this agent's")
    return state, now


def _journals(repository: Repository) -> list[Journal]:
    kept = load(repository.workspace.agent).journal
    return journals.every(repository.workspace) if kept and not repository.workspace.files else []


def _tracked(repository: Repository, state: State) -> str:
    """The name of the position's file in the last commit, "" where that has none."""
    path = state.position.path
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    name = os.path.relpath(real, os.path.realpath(repository.tree))
    head = None if state.own or name.startswith(os.pardir) else git_history.head(repository.folder)
    return name if head and git_history.contents(repository.folder, [(head, name)]) != [None] else ""


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace").strip()


def _id(entry: Entry) -> str:
    return entry.commit.id[:8]


def _refused(why: str) -> UsageError:
    return UsageError(f"--rewind-cursor: {why}. Nothing was changed; 'memcli history cursor --set N' sets it by hand.")
