"""An operation on an agent's files: changes collected first, then carried out together, with copies of the old bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memcli.errors import MemcliError
from memcli.storage import intents, scratch, state, system
from memcli.storage.append_step import Append
from memcli.storage.atomic import new_token
from memcli.storage.commit_step import Commit
from memcli.storage.git_keep import Keep
from memcli.storage.intents import Journal
from memcli.storage.kept import prune
from memcli.storage.locks import Lock, hold, own
from memcli.storage.parts import Mtime
from memcli.storage.quarantine import Quarantine
from memcli.storage.reaching import Folders, Place, changed
from memcli.storage.reading import unreadable
from memcli.storage.records import Change, Committed, Record
from memcli.storage.state import Store
from memcli.storage.step import Step
from memcli.storage.steps import Chmod, Create, Remove, Rewrite
from memcli.storage.together import Group
from memcli.storage.versions import Version, version_of


class _Wanted(NamedTuple):
    path: str
    root: str
    make: Callable[[Place, str], Step]
    lasting: bool = False


class _Version(NamedTuple):
    keep: Keep
    contents: Mapping[str, bytes | None]
    hand: Mapping[str, bytes | None]
    message: str
    seconds: float
    onto: str | None


class Operation:
    """Changes that are carried out together by `commit`: all of them or none. One change for each file."""

    def __init__(self, store: Store, record: Record) -> None:
        self.id = record.id
        self._record = record
        self._wanted: list[_Wanted] = []
        self._versions: list[_Version] = []
        self._journal = Journal(store, record.folder)
        self._quarantine = Quarantine(os.path.join(self._journal.folder, intents.PIECES))
        self._done = False

    def rewrite(
        self,
        path: str,
        expected: Version,
        new: bytes | Iterable[bytes],
        *,
        root: str,
        mtime: Mtime = "now",
        mode: int | None = None,
        lasting: bool = False,
    ) -> None:
        """Put `new` in the place of the file at `path` (atomic.replace); the same bytes again change nothing. What is
        `lasting` is not taken back by undo."""
        self._want(path, root, lambda p, t: Rewrite(p, t, expected, pieces=new, mtime=mtime, mode=mode), lasting)

    def create(
        self,
        path: str,
        data: bytes | Iterable[bytes],
        *,
        root: str,
        mtime: Mtime = "now",
        mode: int = 0o600,
        lasting: bool = False,
    ) -> None:
        """Write a new file (atomic.create); `lasting` as in `rewrite`."""
        self._want(path, root, lambda p, t: Create(p, t, pieces=data, mtime=mtime, mode=mode), lasting)

    def remove(self, path: str, expected: Version, *, root: str) -> None:
        """Remove a file (atomic.remove); undo brings it back."""
        self._want(path, root, lambda p, t: Remove(p, t, expected))

    def chmod(self, path: str, expected: Version, mode: int, *, root: str) -> None:
        """Give a file other permission bits."""
        self._want(path, root, lambda p, t: Chmod(p, t, expected, expected._replace(mode=mode)))

    def append(self, path: str, line: bytes, *, root: str) -> None:
        """Append `line`, without its newline, to an existing file (append.append); undo removes just that line."""
        self._want(path, root, lambda p, t: Append(p, t, line + b"\n"))

    def set_aside(self, path: str, offset: int, piece: bytes, code: str) -> None:
        """Keep a piece that the change takes out of `path` at byte `offset` in quarantine, verbatim, for ever."""
        with state.telling(self._quarantine.path):
            self._quarantine.add(os.path.realpath(path), offset, piece, code)

    def version(
        self,
        keep: Keep,
        contents: Mapping[str, bytes | None],
        message: str,
        *,
        seconds: float,
        hand: Mapping[str, bytes | None] | None = None,
        onto: str | None = None,
    ) -> None:
        """Commit these contents of files (names relative to `keep.tree`; None: there is none) together with the changes, once for
        each repository. What of `hand` is in no commit yet gets one of its own before. `seconds` is the time since the epoch.

        A commit that cannot be made does not keep the files from being changed: `Record.commits` says why there is none. But with
        `onto` contents are for that commit to be below ("": none): where another one is, all is refused as changed.
        """
        if any(os.path.realpath(keep.folder) == os.path.realpath(one.keep.folder) for one in self._versions):
            raise ValueError(f"an operation commits once: {keep.folder}")
        self._versions.append(_Version(keep, dict(contents), dict(hand or {}), message, seconds, onto))

    def commit(self) -> Record:
        """Carry everything out: copies of the old bytes first, then the changes, in one step where there are several, then
        the commits.

        The record says what was changed; without changes and commits it is not kept. Raises RefusedForSafety or CannotWrite; then
        no file is changed, or the sentence says which content is in place.
        """
        self._done = True
        with Folders() as folders:
            group = Group(folders)
            try:
                record = self._prepare(group)
                if not group.steps:
                    self.abandon()
                    return record
            except BaseException:
                group.discard()
                self.abandon()
                raise
            with system.uninterrupted():
                return self._carry_out(group, record)

    def abandon(self) -> None:
        """Leave no trace of an operation that is not carried out."""
        self._quarantine.leave()
        with state.telling(self._journal.folder):
            self._journal.drop()

    @property
    def done(self) -> bool:
        """Whether `commit` was called."""
        return self._done

    def _want(self, path: str, root: str, make: Callable[[Place, str], Step], lasting: bool = False) -> None:
        if any(os.path.realpath(path) == os.path.realpath(one.path) for one in self._wanted):
            raise ValueError(f"an operation changes a file once: {path}")
        self._wanted.append(_Wanted(path, root, make, lasting))

    def _prepare(self, group: Group) -> Record:
        """Copies, quarantine, plan and parts; the record with the new versions."""
        folder = self._journal.folder
        roots = []
        for wanted in self._wanted:
            group.steps.append(wanted.make(group.folders.place(wanted.path, wanted.root), new_token()))
            roots.append(os.path.realpath(wanted.root))
        with state.telling(folder):
            state.make_folder(folder)
            changes = [
                self._change(number, step, roots[number])._replace(lasting=self._wanted[number].lasting)
                for number, step in enumerate(group.steps)
            ]
            self._quarantine.close()
            record = self._record._replace(
                changes=tuple(changes), pieces=self._quarantine.pieces, pieces_bytes=self._quarantine.bytes
            )
            self._journal.plan(record)
        files = list(group.steps)
        commits = [self._commit(group.folders, one) for one in self._versions]
        group.steps += commits
        group.prepare()
        changes = [_with_new(change, step) for change, step in zip(changes, files, strict=True)]
        kept = [n for n, step in enumerate(files) if not step.unchanged]
        group.leave_out([step for step in group.steps if step.unchanged])
        if not kept and all(step.record.why for step in commits):
            group.leave_out(list(group.steps))  # there is nothing to do but what cannot be done
        told = tuple(step.record for step in commits if not step.unchanged)
        return record._replace(changes=tuple(changes[n] for n in kept), published=True, commits=told)

    def _commit(self, folders: Folders, one: _Version) -> Commit:
        record = Committed(one.keep.folder, one.keep.tree, one.message, one.seconds, new_token())
        scratch = self._journal.scratch(record)
        return Commit(folders, record, scratch, contents=one.contents, hand=one.hand, onto=one.onto)

    def _carry_out(self, group: Group, record: Record) -> Record:
        """The steps between publishing the intent and closing it; what stays open is finished by recover."""
        intents.publish_anew(self._journal, record, list(group.steps))
        try:
            with state.telling(self._journal.folder):
                self._journal.publish(record)
            group.swap()
        except MemcliError:
            if not group.standing:
                group.discard()
                self.abandon()
            raise
        done = intents.with_commits(record, group.steps)
        if done != record:
            with state.telling(self._journal.folder, after=True):
                self._journal.publish(done)
        try:
            group.finish()
        finally:
            if not group.standing:
                with state.telling(self._journal.folder, after=True):
                    self._journal.close()
        return done

    def _change(self, number: int, step: Step, root: str) -> Change:
        """The change that a step is, with a copy of what it takes away."""
        change = Change(step.kind, step.place.real, root, step.old, step.new, token=step.token)
        if isinstance(step, Append):
            self._keep(f"{number}.line", [step.line])
            return change._replace(copy=f"{number}.line", length=len(step.line))
        if isinstance(step, Rewrite | Remove):
            self._copy(step.place, step.expected(), f"{number}.old")
            return change._replace(copy=f"{number}.old")
        return change

    def _copy(self, place: Place, expected: Version, name: str) -> None:
        source = place.open()
        try:
            copy = state.new_file(os.path.join(self._journal.folder, name))

            def take(piece: bytes) -> None:
                with state.telling(self._journal.folder):
                    system.write_all(copy, piece)

            try:
                seen = _read(place, source, take)
                system.fdatasync(copy)
            finally:
                os.close(copy)
        finally:
            os.close(source)
        if not seen.same(expected):
            raise changed(place.path)

    def _keep(self, name: str, pieces: list[bytes]) -> None:
        fd = state.new_file(os.path.join(self._journal.folder, name))
        try:
            system.write_all(fd, b"".join(pieces))
            system.fdatasync(fd)
        finally:
            os.close(fd)


@contextmanager
def begin(
    store: Store,
    what: str,
    *,
    command: Sequence[str] = (),
    agent: str = "",
    locks: Sequence[Lock] = (),
    beacons: Sequence[str] = (),
    undoes: str = "",
    timeout: float = 10.0,
) -> Iterator[Operation]:
    """A new operation on the workspace of `store`. memcli's own lock is held until the end of the with block, the
    agent's `locks` too; what an interrupted memcli left open is finished first (intents.recover), and what it left in the
    temporary folder goes. An operation that is not committed leaves no trace. `beacons` are kept with it for when it is
    undone (alive.signs). Raises RefusedForSafety after `timeout` seconds of waiting for a lock."""
    scratch.sweep()
    with own(store, timeout=timeout):
        intents.recover(store)
        with hold(locks, store=store, timeout=timeout):
            operation = Operation(store, _named(store, what, command, agent, locks, beacons, undoes))
            try:
                yield operation
            finally:
                if not operation.done:
                    operation.abandon()
            if operation.done:
                with suppress(MemcliError):  # the operation is done; what is too much goes with the next one
                    prune(store)


def _with_new(change: Change, step: Step) -> Change:
    offset = step.offset if isinstance(step, Append) else 0
    return change._replace(new=step.new, offset=offset)


def _read(place: Place, fd: int, take: Callable[[bytes], None]) -> Version:
    try:
        return version_of(fd, take)
    except OSError as error:
        raise unreadable(place.path, error) from error


def _named(
    store: Store,
    what: str,
    command: Sequence[str],
    agent: str,
    held: Sequence[Lock],
    beacons: Sequence[str],
    undoes: str,
) -> Record:
    """A record with an id that no operation of the store has."""
    import time

    names = sorted(os.listdir(state.place(store, "undo")))
    sequence = int(names[-1].partition("-")[0]) + 1 if names else 1
    now = time.gmtime(time.time())
    stamp = time.strftime("%Y%m%dT%H%M", now)
    while True:
        own_id = f"{stamp}-{os.urandom(2).hex()}"
        if not any(name.endswith(own_id) for name in names):
            break
    return Record(
        own_id,
        sequence,
        time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        what,
        agent,
        tuple(command),
        (),
        tuple(held),
        tuple(beacons),
        undoes=undoes,
    )
