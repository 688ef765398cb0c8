"""The kind of step that commits what the others wrote. It comes last, and never keeps them from being done: where no commit can
be made it is left out, with the reason."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from memcli.errors import CannotRead, CannotWrite, MemcliError
from memcli.storage import git_history, git_keep
from memcli.storage.git_index import Index
from memcli.storage.git_writing import Held, Keep, chain, drop_scratch, entries, held, move, reached
from memcli.storage.reaching import Folders, Place, changed, refused
from memcli.storage.records import Committed
from memcli.storage.step import Progress, Step

WAIT = 2.0
"""Seconds for which a commit is tried again while others are at work in the repository."""
STEP = 0.02
Contents = Mapping[str, bytes | None]


class Commit(Step):
    """One commit, or two where something was changed by hand before. `record` says what it is, or why there is none;
    `scratch` is a path in memcli's own folder, and `publish` is called whenever the commit has become another one."""

    kind = "commit"
    late = True

    def __init__(
        self,
        folders: Folders,
        record: Committed,
        scratch: str,
        *,
        contents: Contents | None = None,
        hand: Contents | None = None,
        onto: str | None = None,
        publish: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(Place(record.folder, os.path.realpath(record.folder), -1, ""), record.token, None)
        self.record = record
        self.publish = publish
        self._folders, self._scratch = folders, scratch
        self._contents, self._hand, self._onto = contents or {}, hand or {}, onto
        self._keep = Keep(record.folder, record.tree)
        self._site: git_keep.Site | None = None
        self._index: Index | None = None
        self._made = False  # the commit is on the branch
        self._moved = False  # and the index that belongs to where the branch leads now is the locked one

    def prepare(self) -> None:
        names = sorted({*self._contents, *self._hand})
        try:
            at = git_keep.site(self._keep)
            why = git_keep.standing(self._keep, at, names)
            if why:
                self._leave_out(why)
                return
            head = git_history.head(self._keep.folder)
            expected = self._onto in (None, head or "")
            files = held(self._keep, at, head, self._contents, self._hand) if expected else ()
            if files:
                self._write(head, files)
        except (MemcliError, OSError) as error:
            self._leave_out(_reason(self._keep.folder, error))
            return
        if not expected:
            raise changed(self._keep.folder, "got another commit after it was read")

    @property
    def unchanged(self) -> bool:
        return not self.record.id and not self.record.why

    def swap(self) -> None:
        if self.record.why:
            return
        try:
            why = git_keep.busy(self._reach()) or self._carry_out()
            if why:
                self._leave_out(why)
        except (MemcliError, OSError) as error:
            self._leave_out(_reason(self._keep.folder, error))

    def revert(self) -> None:
        if not self._made:
            return
        self._reach()
        if git_history.head(self._keep.folder) != self.record.id:
            raise changed(self._keep.folder, "got more commits")
        back = [Held(one.name, one.after, one.after, one.before) for one in self._files]
        why = self._move(self.record.parent, self.record.id, back, time.monotonic() + WAIT)
        if why:
            raise changed(self._keep.folder, why)
        self._made = False

    def finish(self) -> None:
        drop_scratch(self._scratch)
        if self._index is not None:
            if self._moved:
                self._index.put()
            self._index.drop()

    def discard(self) -> None:
        self.finish()

    def progress(self) -> Progress:
        if self.record.why:
            return "before"
        try:
            at = self._reach()
            self._made = self._moved = reached(self._keep, self.record.id)
            why = "" if self._made else git_keep.standing(self._keep, at, [one.name for one in self._files])
            if why:
                self._leave_out(why)
        except (MemcliError, OSError) as error:
            self._leave_out(_reason(self._keep.folder, error))
        return "after" if self._made else "before"

    @property
    def _files(self) -> list[Held]:
        return [Held(*one) for one in self.record.files]

    def _write(self, head: str | None, files: tuple[Held, ...]) -> None:
        message, seconds = self.record.message, self.record.seconds
        ids = chain(self._keep, head, files, message, seconds, self._scratch)
        self.record = self.record._replace(id=ids[-1], commits=ids, parent=head or "", files=files)

    def _leave_out(self, why: str) -> None:
        self.record = self.record._replace(id="", commits=(), why=why)
        self._made = False

    def _reach(self) -> git_keep.Site:
        """Find the repository's own files, and open the folder that has the index."""
        if self._site is None:
            at = self._site = git_keep.site(self._keep)
            if not at.bare:
                place = self._folders.place(os.path.join(at.folder, "index"), at.folder)
                self.place = place._replace(path=self._keep.folder)
                self._index = Index(self._keep, self.place, f"{self._scratch}.index", self.token)
        return self._site

    def _carry_out(self) -> str:
        """Make the commit, on top of those that others made meanwhile if they left our files alone; else why there is none."""
        until = time.monotonic() + WAIT
        while True:
            head = git_history.head(self._keep.folder) or ""
            if self.record.id and head != self.record.parent and reached(self._keep, self.record.id):
                self._made = True
                return ""
            if head != self.record.parent:
                why = self._again(head)
                if why:
                    return why
            why = self._move(self.record.id, self.record.parent, self._files, until)
            if not why:
                self._made = True
                return ""
            if time.monotonic() > until:
                return why
            time.sleep(STEP)

    def _again(self, head: str) -> str:
        """Write the commit anew, on top of `head`; why that would not be right, "" when it is done."""
        now = entries(self._keep, head or None, [one.name for one in self._files])
        files = []
        for one in self._files:
            was = now[one.name]
            if was not in (one.before, one.hand, one.after):
                return f"somebody committed another version of {one.name} meanwhile"
            hand = one.hand if was == one.before else was
            if was != one.after:
                files.append(Held(one.name, was, hand, one.after))
        if not files:
            return f"the commit {head[:8]}, which somebody made meanwhile, has it already"
        self._write(head or None, tuple(files))
        self.publish()
        return ""

    def _move(self, new: str, old: str, files: list[Held], until: float) -> str:
        """Let the branch lead to `new`, and the index have these files; why that cannot be done now, "" when it is."""
        index = self._index
        if index is not None and index.make(files):
            while not index.lock():
                why = git_keep.locked(self._reach())
                if not why:
                    return "its index changes all the time"
                if time.monotonic() > until:
                    return why
                time.sleep(STEP)
        try:
            move(self._keep, new, old, self.record.seconds)
        except CannotRead as error:
            if (git_history.head(self._keep.folder) or "") != new:
                if index is not None:
                    index.drop()
                return str(error.facts["why"])
        self._moved = True
        if index is not None:
            with suppress(OSError):  # the branch has moved; finish tries it again
                index.put()
        return ""


def _reason(folder: str, error: MemcliError | OSError) -> str:
    told = refused(folder, error) if isinstance(error, OSError) else error
    clause = told.facts.get("why") if isinstance(told, CannotRead | CannotWrite) else None
    return str(clause or told.sentence.rstrip("."))
