"""Steps carried out together: every one of them, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from memcli.errors import CannotWrite, MemcliError
from memcli.storage import system
from memcli.storage.reaching import Folders, changed, refused
from memcli.storage.step import Step


class Group:
    """Steps in the order in which they are carried out. `standing` are those that are swapped, or of which it is not
    known: while there are any, the parts beside the files may be all that is left of something."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.steps: list[Step] = []
        self.standing: list[Step] = []
        self.unsynced: CannotWrite | None = None

    def prepare(self) -> None:
        """Prepare every step. Raises what `Step.prepare` does, CannotWrite for what the system refuses; then nothing
        is left behind."""
        try:
            for step in self.steps:
                with _telling(step):
                    step.prepare()
        except BaseException:
            self.discard()
            raise

    def leave_out(self, steps: list[Step]) -> None:
        """Do without these prepared steps."""
        for step in steps:
            step.discard()
            self.steps.remove(step)

    def swap(self) -> None:
        """Swap every step. When one cannot be, those before it are reverted and its error is raised; `standing` then
        has those for which that failed too."""
        early = [step for step in self.steps if not step.late]
        for step in early:
            try:
                with _telling(step):
                    step.swap()
            except MemcliError as error:
                stuck = [step] if error.facts.get("in_place") else []  # its part holds what somebody wrote
                self._give_up(error, stuck)
            self.standing.append(step)
        try:
            self.sync()
        except OSError as error:
            self.unsynced = refused(self.steps[-1].place.path, error, in_place=True)
        for step in early:
            if not step.settled():
                self._give_up(changed(step.place.path, "is being written to"), [])
        for step in self.steps:
            if step.late:
                step.swap()
                self.standing.append(step)

    def revert(self) -> None:
        """Take back every step that stands, the last first; those that cannot be go on standing."""
        kept = []
        for step in reversed(self.standing):
            try:
                step.revert()
            except (MemcliError, OSError):
                kept.append(step)
        self.standing = kept[::-1]

    def finish(self) -> None:
        """Let go of what was displaced. Raises CannotWrite, which says that the new content is in place; also when it
        is, but the system would not promise that it is on the disk."""
        for step in self.steps:
            with _telling(step, in_place=True):
                step.finish()
        self.standing = []
        if self.unsynced:
            raise self.unsynced

    def discard(self) -> None:
        """Let go of what was prepared and does not stand."""
        for step in self.steps:
            if step not in self.standing:
                step.discard()

    def sync(self) -> None:
        """Have what was swapped on the disk: the names in all folders, and what was written into files."""
        for step in self.standing:
            step.sync()
        for folder in self.folders.all():
            system.fsync(folder)

    def _give_up(self, error: MemcliError, stuck: list[Step]) -> NoReturn:
        """Revert, and raise `error`, or one that tells which files have their new content for now."""
        self.revert()
        if not self.standing and not stuck:
            self.discard()
            with suppress(OSError):
                self.sync()
            raise error
        names = ", ".join(step.place.path for step in self.standing)
        self.standing += stuck
        self.discard()
        if not names:
            raise error
        raise CannotWrite(
            f"{error.sentence} The new content is in place in {names} and could not be taken back; the next memcli that "
            "writes here does.",
            in_place=True,
        ) from error


@contextmanager
def _telling(step: Step, *, in_place: bool = False) -> Iterator[None]:
    """Turn what the system refuses into a sentence about the step's file."""
    try:
        yield
    except OSError as error:
        raise refused(step.place.path, error, in_place=in_place) from error
