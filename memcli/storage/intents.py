"""Changes of several files as one: an intent is published before the first, and whoever writes next finishes it.

After a kill at any moment and the next start, all files are old or all are new. Source: reliability.md 3.5.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.errors import CannotWrite, MemcliError, RefusedForSafety
from memcli.storage import locks, records, state, system
from memcli.storage.append_step import Append
from memcli.storage.commit_step import Commit
from memcli.storage.parts import drop, part_name, spare_name
from memcli.storage.reaching import Folders, Place, changed, refused
from memcli.storage.records import Change, Committed, Record
from memcli.storage.state import Store
from memcli.storage.step import Progress, Step
from memcli.storage.steps import Chmod, Create, Remove, Rewrite
from memcli.storage.together import Group

PIECES = "pieces"
"""The folder of an operation that goes to quarantine when it is done."""


class Recovered(NamedTuple):
    """What became of an operation that was interrupted: `outcome` is "finished" (all new), "dropped" (all old) or
    "conflict" (a file is neither: somebody else wrote it); `sentence` says it."""

    id: str
    outcome: str
    sentence: str


class Journal:
    """The folder of one operation: below `intents` while it is carried out, below `undo` when it is done.

    In it are the record, the copies of the old bytes and what goes to quarantine.
    """

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.folder = os.path.join(state.place(store, "intents"), name)

    @property
    def quarantine(self) -> str:
        """Where what the operation takes out of files is kept when it is done."""
        return os.path.join(self.store.folder, "quarantine", self.name)

    def plan(self, record: Record) -> None:
        """Note what is about to be prepared, so that its parts are found after a kill. Raises OSError."""
        records.write(self.folder, record._replace(published=False), durable=True)

    def publish(self, record: Record) -> None:
        """From now on the operation will be finished, by whoever writes next if need be. Raises OSError."""
        records.write(self.folder, record._replace(published=True), durable=True)
        state.sync_folder(self.folder)
        state.sync_folder(os.path.dirname(self.folder))

    def scratch(self, commit: Committed) -> str:
        """Where a commit has its own files while it is made."""
        return os.path.join(self.folder, f"{commit.token}.commit")

    def close(self) -> None:
        """The operation is done: it can be listed and undone. Raises OSError."""
        pieces = os.path.join(self.folder, PIECES)
        if os.path.isdir(pieces):
            state.place(self.store, "quarantine")
            system.rename(pieces, self.quarantine)
        system.rename(self.folder, os.path.join(state.place(self.store, "undo"), self.name))

    def drop(self) -> None:
        """The operation was not carried out: nothing of it stays. Raises OSError."""
        try:
            system.unlink(os.path.join(self.folder, records.FILE))  # first: half a folder must not be taken for one
        except FileNotFoundError:
            pass
        state.remove_tree(self.folder)


def recover(store: Store) -> list[Recovered]:
    """Finish or drop what an interrupted memcli left open in the workspace of `store`, whose lock the caller holds.

    Raises RefusedForSafety on a conflict: nothing more is changed, every copy is kept, and the operation can be
    looked at with `memcli undo --list`; the next call goes on.
    """
    locks.release_left(store)
    folder = state.place(store, "intents")
    found = []
    for name in sorted(os.listdir(folder)):
        try:
            if os.path.isdir(os.path.join(folder, name)):
                found.append(_recover(Journal(store, name)))
            elif name.endswith(".part"):
                system.unlink(os.path.join(folder, name))
        except OSError as error:
            why = refused(folder, error).facts["why"]
            raise CannotWrite(
                f"What an interrupted memcli left in {folder} could not be finished: {why}. It will be tried again.",
                path=folder,
                why=why,
            ) from error
    conflicts = [one.sentence for one in found if one.outcome == "conflict"]
    if conflicts:
        raise RefusedForSafety(" ".join(conflicts), why="conflict")
    return found


def step_of(place: Place, change: Change, folder: str) -> Step:
    """The step that carries out `change`; `folder` is the operation's, with the copies."""
    old, new = change.old, change.new
    if change.kind == "append":
        with open(os.path.join(folder, change.copy), "rb") as file:
            return Append(place, change.token, file.read(), new, offset=change.offset)
    if change.kind == "create":
        return Create(place, change.token, new)
    assert old is not None
    if change.kind == "rewrite":
        return Rewrite(place, change.token, old, new)
    return (Remove if change.kind == "remove" else Chmod)(place, change.token, old, new)


def commit_steps(journal: Journal, record: Record, folders: Folders) -> list[Commit]:
    """The steps that make the commits of an operation."""
    return [Commit(folders, commit, journal.scratch(commit)) for commit in record.commits]


def with_commits(record: Record, steps: Sequence[Step]) -> Record:
    """The record with its commits as their steps have them by now."""
    now = {step.token: step.record for step in steps if isinstance(step, Commit)}
    return record._replace(commits=tuple(now.get(one.token, one) for one in record.commits))


def publish_anew(journal: Journal, record: Record, steps: Sequence[Step]) -> None:
    """Have every commit that becomes another one published, before it is made."""
    for step in steps:
        if isinstance(step, Commit):
            step.publish = lambda: journal.publish(with_commits(record, steps))


def _recover(journal: Journal) -> Recovered:
    record = records.read(journal.folder)
    if record is None:
        journal.drop()
        return Recovered(journal.name, "dropped", f"What was left of the operation {journal.name} was removed.")
    what = f"The {record.what} {record.id} was interrupted"
    with Folders() as folders, locks.hold(record.locks, store=journal.store):
        if not record.published:
            _drop_parts(record, folders)
            journal.drop()
            return Recovered(record.id, "dropped", f"{what} before it changed anything; it was dropped.")
        group = Group(folders)
        try:
            for change in record.changes:
                group.steps.append(step_of(folders.place(change.path, change.root), change, journal.folder))
            group.steps += commit_steps(journal, record, folders)
            publish_anew(journal, record, list(group.steps))
            progress = [step.progress() for step in group.steps]
        except MemcliError as error:
            return _conflict(journal, record, f"{what}: {error}")
        return _resolve(journal, record, group, progress, what)


def _resolve(journal: Journal, record: Record, group: Group, progress: list[Progress], what: str) -> Recovered:
    """Roll forward when nobody else wrote meanwhile; else take back what can be."""
    every = list(zip(group.steps, progress, strict=True))
    group.standing = [step for step, at in every if at in ("after", "overwritten", "raced")]
    foreign = [step for step, at in every if at in ("raced", "blocked", "lost")]
    try:
        if foreign:
            group.revert()
            raise changed(", ".join(step.place.path for step in foreign), "was written by another program meanwhile")
        group.steps = [step for step, at in every if at == "before"]
        group.swap()
    except MemcliError as error:
        group.steps = [step for step, _ in every]
        return _taken_back(journal, record, group, [step for step, at in every if at == "lost"], f"{what}: {error}")
    group.steps = [step for step, _ in every]
    done = with_commits(record, group.steps)
    if done != record:
        journal.publish(done)
    group.finish()
    journal.close()
    return Recovered(record.id, "finished", f"{what}; now it is finished.")


def _taken_back(journal: Journal, record: Record, group: Group, lost: list[Step], why: str) -> Recovered:
    """Drop an operation if every step could be taken back. What somebody else wrote and is displaced goes to
    quarantine."""
    lost = lost + [step for step in group.standing if step.displaced_by_others and step not in lost]
    for step in lost:
        _keep_displaced(journal, step)
        why += f" What that program wrote first is kept in {journal.quarantine}."
    if not group.standing and not lost:
        group.discard()
        group.sync()
        journal.drop()
        return Recovered(record.id, "dropped", f"{why} Nothing of it stays.")
    for step in group.steps:
        step.finish()
    return _conflict(journal, record, why)


def _conflict(journal: Journal, record: Record, sentence: str) -> Recovered:
    records.write(journal.folder, record._replace(note=sentence), durable=True)
    journal.close()
    return Recovered(record.id, "conflict", f"{sentence} Every old content is kept; see 'memcli undo --list'.")


def _keep_displaced(journal: Journal, step: Step) -> None:
    """Bring what somebody wrote, and somebody overwrote, from beside the file into quarantine."""
    assert step.displaced is not None
    pieces = os.path.join(journal.folder, PIECES)
    state.make_folder(pieces)
    source = step.place.open(step.displaced.name)
    try:
        fd = state.new_file(os.path.join(pieces, f"{step.token}.displaced"))
        try:
            system.copy_rest(source, fd)
            system.fdatasync(fd)
        finally:
            os.close(fd)
    finally:
        os.close(source)


def _drop_parts(record: Record, folders: Folders) -> None:
    for change in record.changes:
        try:
            place = folders.place(change.path, change.root)
        except MemcliError:
            continue  # the folder is gone, and the part with it
        drop(place, part_name(change.token))
        drop(place, spare_name(change.token))
