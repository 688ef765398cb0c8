"""One file made whole on paper: round by round, each class on what the classes before it left, nothing written in place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice

from memcli.core import moving, tallying
from memcli.core.drafts import Draft, line_numbers
from memcli.core.examining import Examination, Hit, Target
from memcli.core.items import MOVED, Counts, Mended, Shown
from memcli.core.moving import Change, Move
from memcli.core.reconstructing import Rebuilt, rebuilt
from memcli.core.viewing import view
from memcli.core.wishes import Wishes
from memcli.damage import modules
from memcli.damage.entries import is_message, member_place
from memcli.damage.framework import RowsSnapshot
from memcli.damage.snapshots import LineSnapshot
from memcli.model import AgentView, Edit, Finding
from memcli.storage.edits import together
from memcli.storage.facts import UNREAD
from memcli.storage.reaching import changed
from memcli.storage.reading import unreadable

STAGES = ("whole", "line", "header", "bytes", "rows")
"""The scopes of classes that edit one file, in the order in which they are mended."""
ROUNDS = 24
"""So many rounds are made at most: then something undoes what something else does, and the file is left alone."""
MOST = 100_000
"""So many findings of one file are mended; the places of more of them are too much to hold."""
TOLD = 1000
"""So many are told of when there are more than that."""
SHOWN = 400
"""Bytes of an edit that are kept to be shown."""


class Mending:
    """What is to become of one file. `draft` is None while nothing is to be changed.

    `findings` is everything that is wrong with the file, `mended` what is done about it, `left` what will still be wrong.
    `examination` is the one of the content that will be there. `source` is another file that is to take the target's place:
    it is judged, and mended, as if it stood there already. Raises RefusedForSafety when the file changes meanwhile.
    """

    def __init__(self, target: Target, wishes: Wishes, tz: str = "", source: str = "") -> None:
        self.target, self.wishes, self.tz = target, wishes, tz
        self.source = source or target.path
        self.draft: Draft | None = None
        self.mended: list[Mended] = []
        self.moves: list[Move] = []
        self.messages: list[Move] = []
        self.recovered = self.lost = 0
        self.gave_up = ""
        self._pending: list[Move] = []
        self._open: Examination | None = None
        self._status = _status(self.source)
        self.examination, self.hits = self._examined()
        self.findings = [hit.finding for hit in self.hits]
        self.first = self.examination
        self.before = AgentView(0, 0, False)
        self.after: AgentView | None = None
        try:
            if len(self.hits) > MOST or self.examination.unjudged:
                self.gave_up = "it is damaged in too many places to be mended one by one"
                self.hits = self.hits[:TOLD]
                self.findings = self.findings[:TOLD]
            elif any(self._edits(hit) for hit in self.hits):
                self._mend()
        finally:
            self.examination.close()

    @property
    def left(self) -> list[Finding]:
        """What will be wrong with the file afterwards."""
        return [hit.finding for hit in self.hits]

    @property
    def counts(self) -> Counts:
        """What becomes of the rows."""
        return Counts(max(0, self.examination.records - self.recovered), self.recovered, self.lost)

    def edit(self, finding: Finding, edits: Sequence[Edit]) -> None:
        """Make the edits of a finding that came from beside the file. Raises RefusedForSafety when the file changed."""
        if self.draft is None:
            draft = Draft(self.source)
            if not draft.version.stands(self._status):
                raise changed(self.source)
            self.draft = draft
        made: list[tuple[Finding, Sequence[Edit]]] = [(finding, edits)]
        rows, changes = self.examination.rows, list(tallying.row_changes(edits))
        self.lost += sum(-edit.records for edit in edits if edit.records < 0)
        self.recovered += sum(edit.records for edit in edits if edit.records > 0)
        if changes and rows is not None:
            self._count(rows, changes)
            made += self._shifts(made)
        self._make(made)
        self.examination, self.hits = self._examined()
        self.examination.close()
        self._look()

    def _mend(self) -> None:
        self.draft = Draft(self.source)
        self.examination, self.hits = self._examined()  # what is judged now is what was hashed
        self.findings = [hit.finding for hit in self.hits]
        self.first = self.examination
        while self.draft.rounds < ROUNDS:
            groups = self._stage()
            if not groups and not self._shift():
                break
            if groups:
                self._round(groups)
            self.examination, self.hits = self._examined()
        else:
            self.give_up("mending it does not come to an end")
            return
        if not self.draft.rounds:
            self.draft = None
        elif self._is_worse():
            empty = not self.draft.rope.size
            self.give_up("nothing would be left of it" if empty else "what would come out is worse than what is there")
        else:
            self._look()

    def _examined(self) -> tuple[Examination, list[Hit]]:
        """All that is wrong with the content so far. The file stays open, for mending, until the next one is."""
        source = self.draft.source if self.draft else self.source
        examination = Examination(
            self.target, options=self.wishes.flags, tz=self.tz, limit=None, source=source, keep=True
        )
        try:
            hits = list(islice(examination.hits(), MOST + 1))
        except BaseException:
            examination.close()
            raise
        if self._open is not None:
            self._open.close()
        self._open = examination
        return examination, sorted(hits, key=lambda hit: hit.finding.offset or 0)

    def _edits(self, hit: Hit) -> list[Edit]:
        """What mends a finding, [] when nothing does, or when it is no matter of this file alone."""
        if hit.snapshot is None or not self.wishes.grants(hit.finding):
            return []
        if hit.finding.repair == "flag" and self._waits(hit):
            return []
        changes = hit.module.mend(hit.snapshot, hit.finding)
        edits = [change for change in changes if isinstance(change, Edit)]
        if len(edits) != len(changes):
            return []
        found = self._rebuilt(hit, edits)
        return found.edits if found else edits

    def _rebuilt(self, hit: Hit, edits: list[Edit]) -> Rebuilt | None:
        """The same with records that were cut filled in, where that was asked for and can be done."""
        if not self.wishes.reconstruct or not isinstance(hit.snapshot, LineSnapshot):
            return None
        return rebuilt(hit.snapshot, self.examination.rows, edits)

    def _waits(self, hit: Hit) -> bool:
        """Whether rows that cannot be read may hold what the finding says is missing."""
        rows = hit.snapshot
        if not isinstance(rows, RowsSnapshot) or hit.module.SCOPE != "rows":
            return False
        return "synthesize-results" in hit.finding.flag and any(flag & UNREAD for flag in rows.facts.flags)

    def _stage(self) -> list[tuple[Hit, list[Edit]]]:
        """The findings of the first stage that has any to mend; of the classes of rows, those of one module."""
        for scope in STAGES:
            if scope == "rows":
                for module in modules("rows"):
                    found = self._found([hit for hit in self.hits if hit.module is module])
                    if found:
                        return found
                continue
            found = self._found([hit for hit in self.hits if scope == hit.module.SCOPE])
            if found:
                return found
        return []

    def _found(self, hits: Sequence[Hit]) -> list[tuple[Hit, list[Edit]]]:
        order = {module: number for scope in STAGES for number, module in enumerate(modules(scope))}
        found = [(hit, edits) for hit in hits if (edits := self._edits(hit))]
        return sorted(found, key=lambda one: order[one[0].module])

    def _round(self, groups: list[tuple[Hit, list[Edit]]]) -> None:
        """Make what does not clash; the rest waits for the next round."""
        now, _ = together([edits for _, edits in groups])
        chosen = [groups[index] for index in now]
        changes = [change for hit, edits in chosen for change in tallying.changes(hit, edits)]
        for hit, edits in chosen:
            recovered, lost = tallying.counted(hit, edits)
            self.recovered += recovered
            self.lost += lost
        made: list[tuple[Finding, Sequence[Edit]]] = [(self._told(hit), edits) for hit, edits in chosen]
        rows = self.examination.rows
        if changes and rows is not None:
            self._count(rows, changes)
            made += self._shifts(made)
        self._make(made)

    def _told(self, hit: Hit) -> Finding:
        """The finding, which says so when records are filled in for it."""
        finding = hit.finding
        edits = [edit for edit in hit.module.mend(hit.snapshot, finding) if isinstance(edit, Edit)]
        found = self._rebuilt(hit, edits)
        if not found:
            return finding
        message = f"{finding.message} REBUILT, to be looked at: {' / '.join(found.said)}."
        return finding._replace(message=message, data={**finding.data, "reconstructed": found.said})

    def _count(self, rows: RowsSnapshot, changes: Sequence[Change]) -> None:
        """Note how numbers that count rows move."""
        message = moving.of_messages(rows.facts, changes)
        self.moves.append(moving.of_records(rows.facts, changes))
        self.messages.append(message)
        self._pending.append(message)

    def _shift(self) -> bool:
        """Move offsets whose header could not be read before."""
        made = self._shifts([])
        if made:
            self._make(made)
        return bool(made)

    def _shifts(self, others: Sequence[tuple[Finding, Sequence[Edit]]]) -> list[tuple[Finding, Sequence[Edit]]]:
        """The edits of the header's offsets, for the moves that wait; they go on waiting while there is no header."""
        rows = self.examination.rows
        if not self._pending or rows is None or rows.header is None or rows.header_line is None:
            return []
        line = rows.header_line
        taken = [
            edit
            for _, edits in others
            for edit in edits
            if edit.offset < line.offset + line.length and edit.offset + edit.length > line.offset
        ]
        if taken:
            return []
        move = moving.together(self._pending)
        self._pending = []
        found: list[tuple[Finding, Sequence[Edit]]] = []
        for name in rows.rules.offsets:
            old = rows.header.get(name)
            place = member_place(line.raw or b"", name)
            if not isinstance(old, int) or isinstance(old, bool) or place is None or move(old) == old:
                continue
            new = move(old)
            edit = Edit(line.offset + place[0], place[1] - place[0], b"%d" % new, MOVED)
            message = f"{name} moves with the rows that it counts: from {old} to {new}."
            found.append((_moved(self.target.shown, message, line.number, edit), [edit]))
        return found

    def _make(self, made: Sequence[tuple[Finding, Sequence[Edit]]]) -> None:
        assert self.draft is not None
        rope, later = self.draft.rope, self.draft.rounds > 0
        with self.draft.reading() as read, line_numbers(self.source) as line_of:
            for finding, edits in made:
                place = None if finding.offset is None else rope.origin(finding.offset)
                finding = finding._replace(offset=place)
                if later and place is not None:  # it has the place that it has in the file as it is
                    finding = finding._replace(line=line_of(place), row=None)
                shown = tuple(
                    Shown(
                        rope.origin(edit.offset),
                        read(edit.offset, min(edit.length, SHOWN)),
                        edit.replacement[:SHOWN],
                        edit.length,
                        len(edit.replacement),
                    )
                    for edit in edits
                )
                self.mended.append(Mended(finding, shown))
        self.draft.make([edit for _, edits in made for edit in edits])

    def _is_worse(self) -> bool:
        """Whether more rows are unreadable than before, or readable ones are gone that were not taken out knowingly."""
        before, after = self.first.rows, self.examination.rows
        if self.draft is None or not self.draft.rope.size:
            return True
        if after is None or before is None:
            return after is None and before is not None
        was_unread, unread = (sum(1 for flag in rows.facts.flags if flag & UNREAD) for rows in (before, after))
        was, now = (sum(map(is_message, rows.facts.flags)) for rows in (before, after))
        return unread > was_unread or now + self.lost < was

    def give_up(self, why: str) -> None:
        """Leave the file as it is."""
        self.draft = None
        self.mended, self.moves, self.messages = [], [], []
        self.recovered = self.lost = 0
        self.gave_up = why
        self.examination, self.hits = self._examined()
        self.examination.close()

    def _look(self) -> None:
        if self.target.kind == "session" and self.draft:
            self.before = view(self.target, self.source)
            self.after = view(self.target, self.draft.source)


def _status(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _moved(path: str, message: str, line: int, edit: Edit) -> Finding:
    return Finding(path, MOVED, "info", "safe", message, line=line, offset=edit.offset, length=edit.length)
