"""What repair would do to a workspace: every file made whole on paper, then what lies around the files, on that basis."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memcli.core import counting, listing, moving, rerouting, surroundings, texts
from memcli.core.blueprint import Blueprint
from memcli.core.drafts import read_at
from memcli.core.examining import Target, screened
from memcli.core.items import MOVED, Item, Mended
from memcli.core.mending import Mending
from memcli.core.surroundings import Place, Seen
from memcli.core.wishes import Wishes
from memcli.damage import module_of, modules
from memcli.damage.framework import JournalState, RowsSnapshot, WorkspaceSnapshot
from memcli.errors import CannotRead, RefusedForSafety
from memcli.formats import effects, load, rules
from memcli.model import Action, Edit, Finding, SessionRef, Workspace
from memcli.storage.reaching import changed
from memcli.storage.versions import Version, read_version

NAME = 255
"""A file's name has at most so many bytes."""
ADOPT, TEMPORARY = "adopt-temp", "leftover-temp"
TRIES = 5
"""So often a file is read that an agent saves at the same time."""


def plan(
    workspace: Workspace,
    wishes: Wishes,
    *,
    only: Sequence[SessionRef] | None = None,
    tz: str = "",
    progress: Callable[[int], None] | None = None,
) -> Blueprint:
    """The plan for a workspace, or for some of its sessions only. Changes nothing; never raises for what files hold."""
    return _Planner(workspace, wishes, tz, progress).made(only)


class _Planner:
    def __init__(self, workspace: Workspace, wishes: Wishes, tz: str, progress: Callable[[int], None] | None) -> None:
        self.workspace, self.wishes, self.tz, self.progress = workspace, wishes, tz, progress
        self.form, self.rules = load(workspace.agent), rules(workspace.agent)
        self.effects = effects(workspace.agent)
        self.print = Blueprint(workspace)
        self.mendings: dict[str, Mending] = {}
        self.status: dict[str, os.stat_result | None] = {}
        self.done = 0

    def made(self, only: Sequence[SessionRef] | None) -> Blueprint:
        if only is None:
            places = surroundings.places(self.workspace, list(listing.paths(self.workspace)))
        else:
            places = [Place(ref.path, "session") for ref in only]
            self.print.unchecked.append("the files around the named ones")
        beside = self._beside(places) if only is not None and ADOPT in self.wishes.flags else []
        self.status = {path: _status(path) for path in self._touched([*places, *beside])}
        for place in places:
            self._file(place)
        moved = self._cursors()
        around: list[Mended] = []
        if only is None:
            around = self._around(places, moved)
        elif beside:
            around = self._judged([module_of(TEMPORARY)], [*places, *beside], moved)
        for mending in self.mendings.values():
            self._file_actions(mending)
            self._sidecar(mending)
        for path, mending in self.mendings.items():
            self._take(path, mending)
        kinds = {place.path: place.kind for place in places}
        for action in [action for one in around for action in one.actions if action.kind == "rename"]:
            self._adopted(action, kinds.get(action.detail, "session"))
        for one in around:
            self._noted(one)
        self._inputs()
        return self.print

    def _touched(self, places: Sequence[Place]) -> Iterator[str]:
        """The paths that actions can be about: every file there is, and cursors that may not be."""
        yield from (place.path for place in places)
        for journal in self.form.journal.files(self.workspace._replace(files=())) if self.form.journal else []:
            yield from (path for path in (journal.allocated, journal.processed) if path)

    def _inputs(self) -> None:
        """Note the versions of what actions are about; an action on a file that changed since the start is not taken."""
        for action in list(self.print.actions):
            paths = [path for path in (action.path, action.detail if action.kind == "rename" else "") if path]
            found = {path: read_version(path) if os.path.lexists(path) else None for path in paths}
            for path, version in found.items():
                if not _is_same(self.status.get(path), version):
                    self.print.busy.append(changed(path).sentence)
                    self.print.actions.remove(action)
                    for pair in self.print.bound:
                        if path in pair:  # the rows do not go without the number that counts them
                            self.print.drafts.pop(pair[0], None)
                    break
            else:
                self.print.inputs.update(found)

    def _file(self, place: Place) -> None:
        path, kind = place
        shown = listing.shown(self.workspace, path)
        try:
            if kind == "memory":
                self._text(path)
            elif kind in ("session", "journal"):
                self._rows(Target(path, shown, kind, self.workspace))
        except CannotRead as error:
            self.print.unchecked.append(f"{shown}: {error.facts['why']}")
            self.print.failed = self.print.failed or os.path.isfile(path)
        except OSError as error:
            self.print.unchecked.append(f"{shown}: {(error.strerror or str(error)).lower()}")
            self.print.failed = True
        if self.progress:
            self.progress(self.done)

    def _rows(self, target: Target) -> None:
        """A file of rows; one that an agent saves right now is read again."""
        for _ in range(TRIES):
            try:
                mending = Mending(target, self.wishes, self.tz)
            except RefusedForSafety as error:
                refused = error
                continue
            self.mendings[target.path] = mending
            self.done += mending.examination.size
            if mending.gave_up:
                self.print.notes.append(f"{target.shown} is left as it is: {mending.gave_up}.")
            return
        self.print.busy.append(refused.sentence)

    def _busy(self, error: RefusedForSafety, *mendings: Mending | None) -> None:
        """Leave files as they are that somebody wrote while they were planned for."""
        self.print.busy.append(error.sentence)
        for mending in mendings:
            if mending is not None:
                mending.give_up("it is being written to")

    def _text(self, path: str) -> None:
        """A memory file: damage in it is told, never changed."""
        found = [*texts.judge(self.workspace, path)]
        self.print.files += 1
        self.print.items += [Item(finding, "left") for finding in found]

    def _cursors(self) -> dict[str, int]:
        """Cursors that count records, moved with the records of their journal: path -> new number."""
        moved: dict[str, int] = {}
        for journal in self.form.journal.files(self.workspace._replace(files=())) if self.form.journal else []:
            path, found = journal.processed, counting.cursor(self.mendings.get(journal.path), journal, self.rules)
            if path and found:
                old, moved[path] = found
                self.print.bound.append((journal.path, path))
                message = f"The cursor moves with the records that it counts: from {old} to {moved[path]}."
                finding = Finding(path, MOVED, "info", "safe", message)
                self._noted(Mended(finding, (), (Action("write-position", path, MOVED, str(moved[path])),)))
        return moved

    def _around(self, places: Sequence[Place], moved: dict[str, int]) -> list[Mended]:
        """What the classes of files and of workspaces find once the files are whole, and what is done about it."""
        found: list[tuple[Any, Any, Finding]] = []
        for file in surroundings.file_snapshots(self.workspace, places):
            found += [(module, file, finding) for module in modules("file") for finding in module.detect(file)]
        return self._changes(found) + self._judged(modules("workspace"), places, moved)

    def _judged(self, chosen: Sequence[Any], places: Sequence[Place], moved: dict[str, int]) -> list[Mended]:
        """What classes of workspaces find, and what is done about it."""
        snapshot = self._snapshot(places, moved)
        found = [(module, snapshot, finding) for module in chosen for finding in module.detect(snapshot)]
        return self._changes(found)

    def _beside(self, places: Sequence[Place]) -> list[Place]:
        """The temporary files that were to become these: of what lies around named sessions, their own."""
        targets = {place.path for place in places}
        leftovers = self.form.layout.leftovers(self.workspace._replace(files=()))
        return [Place(path, "leftover") for path in leftovers if surroundings.becomes(path) in targets]

    def _changes(self, found: Sequence[tuple[Any, Any, Finding]]) -> list[Mended]:
        made = []
        for module, seen, finding in found:
            changes = module.mend(seen, finding) if self.wishes.grants(finding) else []
            edits = [change for change in changes if isinstance(change, Edit)]
            actions = tuple(change for change in changes if isinstance(change, Action))
            mending = self.mendings.get(finding.path)
            if edits and mending is not None:
                try:
                    mending.edit(finding._replace(path=mending.target.shown), edits)
                except RefusedForSafety as error:
                    self._busy(error, mending)
                continue
            made.append(Mended(finding, (), actions))
        return made

    def _snapshot(self, places: Sequence[Place], moved: dict[str, int]) -> WorkspaceSnapshot:
        seen = [
            Seen(path, one.examination.header, one.examination.rows)
            for path, one in self.mendings.items()
            if one.target.kind == "session"
        ]
        snapshot = surroundings.snapshot(self.workspace, places, seen, self._screened, self.wishes.flags)
        return snapshot._replace(
            read=self._beginning, journals=[self._with_moved(one, moved) for one in snapshot.journals]
        )

    def _with_moved(self, journal: JournalState, moved: dict[str, int]) -> JournalState:
        cursor = journal.processed
        if cursor is None or cursor.path not in moved:
            return journal
        number = moved[cursor.path]
        used = self.rules.used(number, True, True)
        return journal._replace(processed=cursor._replace(text=str(number), number=number, used=used))

    def _screened(self, path: str, kind: str) -> RowsSnapshot | None:
        mending = self.mendings.get(path)
        if mending is not None:
            return mending.examination.rows
        return screened(Target(path, path, kind, self.workspace), self.tz)

    def _beginning(self, path: str, limit: int) -> bytes:
        mending = self.mendings.get(path)
        try:
            return read_at(mending.draft.source if mending and mending.draft else path, 0, limit)
        except (CannotRead, OSError):
            return b""

    def _file_actions(self, mending: Mending) -> None:
        """What the classes of one file do beside editing it: rename it, hand rows to another."""
        told: set[str] = set()
        again = True
        while again:
            again = False
            for hit in mending.hits:
                if hit.module.SCOPE not in ("header", "rows") or not self.wishes.grants(hit.finding):
                    continue
                changes = hit.module.mend(hit.snapshot, hit.finding)
                actions = tuple(change for change in changes if isinstance(change, Action))
                edits = [change for change in changes if isinstance(change, Edit)]
                if edits and actions:
                    target = self.mendings.get(actions[0].detail)
                    try:
                        refusal = rerouting.move(mending, target, hit.finding, edits)
                    except RefusedForSafety as error:
                        self._busy(error, mending, target)
                        return
                    if not refusal:
                        self.print.bound.append((mending.target.path, actions[0].detail))
                        again = True  # the places of all others are new ones now
                        break
                    told.add(refusal)
                elif actions and not _is_name(actions[0]):
                    told.add("It keeps its name: no file can be called what its key maps to.")
                elif actions and self._is_taken(actions[0].detail):
                    told.add(f"It keeps its name: {actions[0].detail} exists already.")
                elif actions and not any(action in self.print.actions for action in actions):
                    mending.mended.append(Mended(hit.finding, (), actions))
                    self.print.actions += actions
        self.print.notes += [f"{mending.target.shown}: {refusal}" for refusal in sorted(told)]

    def _is_taken(self, path: str) -> bool:
        """Whether something stands at a path, or is to stand there."""
        return os.path.lexists(path) or any(action.detail == path for action in self.print.actions)

    def _sidecar(self, mending: Mending) -> None:
        """The file beside a session that counts its messages."""
        beside = self.rules.counted_beside(mending.target.path)
        if beside is None or not mending.draft or not mending.messages or not os.path.isfile(beside[0]):
            return
        path, member = beside
        try:
            found = counting.checkpoint(
                moving.together(mending.messages), path, member, listing.shown(self.workspace, path)
            )
        except RefusedForSafety as error:
            self._busy(error, mending)
            return
        if found:
            self.print.drafts[path], item = found
            self.print.bound.append((mending.target.path, path))
            self.print.items.append(item)

    def _adopted(self, action: Action, kind: str) -> None:
        """A file that is to take another one's place is mended as that one would be."""
        own = self.mendings.get(action.path)
        if kind not in ("session", "journal") or (own is not None and own.draft is not None):
            return
        target = Target(action.detail, listing.shown(self.workspace, action.path), kind, self.workspace)
        try:
            mending = Mending(target, self.wishes, self.tz, action.path)
        except (RefusedForSafety, CannotRead, OSError):
            return  # it is gone, or written to: the action is not taken then
        if mending.draft:
            self.print.drafts[action.path] = mending.draft
            self.print.counts[action.path] = mending.counts
            self.print.items += [Item(one.finding, "mend", "", one.shown) for one in mending.mended]

    def _take(self, path: str, mending: Mending) -> None:
        """Enter what is to become of one file."""
        out = self.print
        out.files += 1
        out.records += mending.first.records
        out.counts[path] = mending.counts
        if mending.draft and mending.draft.rounds:
            out.drafts[path] = mending.draft
            if mending.after is not None:
                out.views[path] = (mending.before, mending.after)
        out.left[path] = (mending.target, [finding.code for finding in mending.left])
        items = [Item(one.finding, "mend", "", one.shown, one.actions) for one in mending.mended]
        items += [Item(finding, "left", self.wishes.needs(finding)) for finding in _left(mending)]
        out.items += sorted(items, key=lambda item: item.finding.offset or 0)

    def _noted(self, one: Mended) -> None:
        """Enter a finding around the files."""
        finding = one.finding
        effect = finding.effect or self.effects.get(finding.code, "")
        finding = finding._replace(path=listing.shown(self.workspace, finding.path), effect=effect)
        taken = {action.path for action in self.print.actions if action.kind != "chmod"}
        actions = tuple(action for action in one.actions if action.kind == "chmod" or action.path not in taken)
        if actions:
            self.print.actions += actions
            self.print.items.append(Item(finding, "mend", "", one.shown, actions))
        else:
            self.print.items.append(Item(finding, "left", self.wishes.needs(finding)))


def _left(mending: Mending) -> Iterator[Finding]:
    """What stays wrong, with the places that it has now where it was there before."""
    mended = {(one.finding.code, one.finding.offset) for one in mending.mended}
    after = [finding for finding in mending.left if (finding.code, finding.offset) not in mended]
    counts: dict[str, int] = {}
    for finding in after:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    for finding in mending.findings:
        if (finding.code, finding.offset) not in mended and counts.get(finding.code, 0):
            counts[finding.code] -= 1
            yield finding
    for finding in after:
        if counts.get(finding.code, 0):
            counts[finding.code] -= 1
            yield finding


def _is_name(action: Action) -> bool:
    """Whether a file can have the name that an action gives it, in the folder where it is."""
    folder, name = os.path.split(action.detail)
    try:
        raw = os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return (
        folder == os.path.dirname(action.path) and name not in ("", ".", "..") and b"\0" not in raw and len(raw) <= NAME
    )


def _is_same(before: os.stat_result | None, now: Version | None) -> bool:
    if before is None or now is None:
        return before is None and now is None
    return now.stands(before)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
