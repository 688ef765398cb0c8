"""Putting two copies of one chat together: a plan first, then A written in its place, or a new file, or a copy elsewhere.

Every distinct row of both is kept once. Lines that are kept are kept byte for byte; what comes out is judged as verify
judges it, and nothing may have got worse.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import NamedTuple

from memcli.core import assembling, copying, counting, guarding, judging, listing, sealing
from memcli.core.assembling import Assembled
from memcli.core.changing import Change, taken_out
from memcli.core.comparing import Comparison, compare
from memcli.core.copies import Pair
from memcli.core.drafts import Draft
from memcli.core.examining import Target
from memcli.core.mending import Mending
from memcli.core.plan_files import write_new
from memcli.core.sides import Side, read
from memcli.core.uniting import Wanted, wanted
from memcli.core.viewing import view
from memcli.core.wishes import Wishes
from memcli.damage import duplicates
from memcli.damage.entries import is_message
from memcli.errors import RefusedForSafety, UsageError
from memcli.model import AgentView, Edit
from memcli.storage import undo
from memcli.storage.lines import line_at
from memcli.storage.reaching import changed
from memcli.storage.reading import open_regular
from memcli.storage.versions import Version, version_of

DECISIONS = ("", "a", "b", "both")
"""What becomes of two versions of one row: nothing is written; that of A; that of B; both."""
WHAT = "merge"
"""What the operation is called in `undo --list`."""
TRIES = 4
"""So often a merge is planned anew when an agent saved between plan and write."""


class Counts(NamedTuple):
    """Rows by what becomes of them. `both`: that both have, or have versions of; `only_a`; `added` from B; `replaced` by B's
    version; `dropped`: versions of B that are not kept; `repeated`: rows of B that hold what another row holds; `left_out`:
    lines of B that are damaged; `renumbered`: rows that get another number; `conflicts`, those of numbers among them."""

    both: int = 0
    only_a: int = 0
    added: int = 0
    replaced: int = 0
    dropped: int = 0
    repeated: int = 0
    left_out: int = 0
    renumbered: int = 0
    conflicts: int = 0


class Merged(NamedTuple):
    """What became of a merge: the operation's id, "" when nothing was written; sentences on why not."""

    id: str
    refused: list[str]


class Merge:
    """What merging two copies comes to. `result` is the file with what A is to be, "" when there is nothing to do or
    something is undecided; `worse` says why it must not be written. Close it when it is done with."""

    def __init__(self, pair: Pair, decision: str = "", tz: str = "") -> None:
        self.pair, self.decision, self.tz = pair, decision, tz
        self.a, self.b = pair.a, pair.b
        self.comparison: Comparison | None = None
        self.found = Wanted([], [], [], [], [])
        self.counts = Counts()
        self.made: Assembled | None = None
        self.version: Version | None = None
        self.result = self.worse = ""
        self.before: AgentView | None = None
        self.after: AgentView | None = None
        self.notes: list[str] = []
        self.quarantined = 0
        self.side_a: Side | None = None
        self.side_b = Side(pair.b, tz)
        try:
            self._plan()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Merge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of both files."""
        self.side_b.close()
        if self.side_a is not None:
            self.side_a.close()

    @property
    def new(self) -> bool:
        """Whether A does not exist yet."""
        return self.pair.new

    @property
    def undecided(self) -> bool:
        """Whether nothing can be written before somebody says what becomes of the conflicts."""
        return bool(self.counts.conflicts) and not self.decision

    @property
    def nothing(self) -> bool:
        """Whether A is already what it is to be."""
        return not self.result and not self.undecided

    def _plan(self) -> None:
        if not self.new:
            self.side_a = Side(self.a, self.tz)
        if self.side_a is None or len(assembling.filler(self.side_a)) == len(self.side_a):
            self._mend()
        if self.side_a is None:
            self._as_new(self.side_b)
        else:
            self._into(self.side_a, self.side_b)
        self.counts = self.counts._replace(left_out=self.counts.left_out + self.quarantined)
        if not self.side_b.stands():
            raise changed(self.b.path)
        if self.result:
            self._renumber()
            self._judge()

    def _mend(self) -> None:
        """Where A has no rows, those of B are mended on their way, as repair would mend them in the place of A."""
        b = self.side_b
        if not judging.codes(self._target(), b.ref.path):
            return
        mending = Mending(self._target(), Wishes(), self.tz, b.ref.path)
        if mending.draft is None or not b.stands():
            return
        source = mending.draft.source
        os.utime(source, ns=(b.status.st_atime_ns, b.status.st_mtime_ns))
        self.side_b = Side(b.ref._replace(path=source), self.tz)
        b.close()
        headers = sum(one.finding.code == "corrupt-header" for one in mending.mended)
        self.quarantined = max(0, mending.counts.quarantined - headers)
        self.notes.append("B is damaged; its rows are mended on their way, as repair would mend them.")

    def _as_new(self, b: Side) -> None:
        if not sum(map(is_message, b.facts.flags)):
            raise UsageError(f"{self.b.shown} has no rows that could be brought back; nothing was changed.")
        self._same_chat(self.a.key, _key(b))
        self.made = made = assembling.alone(b)
        self.counts = Counts(added=made.added, left_out=made.left_out)
        self.result = made.splice.write()

    def _into(self, a: Side, b: Side) -> None:
        self._same_chat(_key(a), _key(b))
        self.version = version_of(a.fd)
        self.comparison = compare(a, b)
        self.found = found = wanted(self.comparison)
        self.made = made = assembling.into(self.comparison, found, self.decision, self.tz)
        conflicts = len(found.conflicts) + len(found.clashes)
        alone = sum(1 for _ in self.comparison.only_a())
        self.counts = Counts(
            both=len(a) - alone,
            only_a=alone,
            added=made.added,
            replaced=made.replaced,
            dropped=len(found.conflicts) - made.replaced if self.decision in ("a", "b") else 0,
            repeated=len(found.repeated),
            left_out=made.left_out,
            conflicts=conflicts,
        )
        self.notes += made.notes
        if not self.undecided and (made.added or made.replaced or made.changed):
            self.result = made.splice.write()
        if not a.stands():
            raise changed(self.a.path)
        if made.replaced < len(found.conflicts) and self.decision == "b":
            self.notes.append("Rows of A that share a line are not replaced; repair A first.")

    def _same_chat(self, one: str | None, other: str | None) -> None:
        if one and other and one != other:
            raise UsageError(
                f"{self.a.shown} is the chat {one} and {self.b.shown} the chat {other}: only copies of one chat can be "
                "merged. Nothing was changed."
            )

    def _renumber(self) -> None:
        """Give rows whose number is taken the numbers that follow, as repair --renumber does."""
        if not self.counts.conflicts or not self.side_b.rules.ROWS.numbered:
            return
        draft = Draft(self.result)
        for hit in judging.hits(self._target(), self.result):
            if hit.finding.code == duplicates.IDENTITY.code and hit.finding.repair == "flag":
                edits = [edit for edit in hit.module.mend(hit.snapshot, hit.finding) if isinstance(edit, Edit)]
                if edits:
                    draft.make(edits)
                    self.result = draft.source
                    self.counts = self.counts._replace(renumbered=len(edits))
                break

    def _judge(self) -> None:
        """Compare what verify finds, and what the agent sees, before and afterwards."""
        target = self._target()
        known = judging.codes(Target(self.b.path, self.b.shown, "session", self.b.workspace), self.b.path)
        broken: set[bytes] = set()
        a = self.side_a
        if a is not None:
            broken = {line_at(a.fd, one.offset).removesuffix(b"\n") for one in a.unread}
            known += judging.codes(target, self.a.path, broken)
            self.before = view(target, self.a.path)
        if self.decision == "both" and not self.side_b.rules.ROWS.numbered:
            known[duplicates.IDENTITY.code] += len(self.found.conflicts) + len(self.found.clashes)
        more = judging.codes(target, self.result, broken) - known
        self.after = view(target, self.result)
        if more:
            self.worse = f"What came out would show {', '.join(more)}; repair the copies first."
        elif self.before and self.after.seen < self.before.seen:
            self.worse = f"The agent would see {self.after.seen:,} rows of it instead of {self.before.seen:,}."
        cap = self.side_b.rules.ROWS.cap
        beside = self.side_b.rules.counted_beside(self.a.path)
        if self.before and beside and os.path.isfile(beside[0]):
            self.notes.append(f"{beside[0]} holds a turn that was interrupted; the agent may drop it now.")
        if cap is not None and self.after.total > cap:
            self.notes.append(f"The agent keeps the last {cap:,} rows: it will cut the first ones when it next saves.")

    def _target(self) -> Target:
        return Target(self.a.path, self.a.shown, "session", self.a.workspace)


def plan(pair: Pair, decision: str = "", tz: str = "") -> Merge:
    """What it would come to to merge two copies (copies.target). Changes nothing.

    Raises CannotRead, UsageError for copies of different chats, RefusedForSafety when one changes meanwhile.
    """
    return Merge(pair, decision, tz)


def carry_out(merge: Merge, *, command: Sequence[str], idle: float, force_live: bool = False) -> Merged:
    """Write what was planned to A, as one operation that can be undone. B is not touched.

    Raises RefusedForSafety when A changed meanwhile, UsageError when A is memcli's own, CannotWrite when the system refuses;
    then nothing is changed.
    """
    if not merge.result or merge.worse:
        return Merged("", [merge.worse] if merge.worse else [])
    ref = merge.a
    workspace, path = ref.workspace, ref.path
    guarding.check_own(path)
    sidecar = _counted(merge)
    paths = [path, *([sidecar.path] if sidecar else [])]
    refused = guarding.refusal(workspace, paths, idle, force_live, fresh=[path] if merge.new else [])
    if refused:
        return Merged("", refused)
    with undo.begin(
        sealing.store(workspace),
        WHAT,
        command=command,
        agent=workspace.agent,
        locks=guarding.locks_of(workspace, paths),
        beacons=guarding.beacons_of(workspace),
    ) as operation:
        content = _content(merge.result)
        root = guarding.root_of(workspace, path)
        if merge.version is None:
            operation.create(path, content, root=root, mtime=merge.side_b.status.st_mtime_ns)
        else:
            aside = [(offset, length, WHAT) for offset, length in merge.made.gone] if merge.made else []
            for offset, piece, code in taken_out(Change(path, merge.version, aside=aside)):
                operation.set_aside(path, offset, piece, code)
            operation.rewrite(path, merge.version, content, root=root, mtime="keep")
        if sidecar:
            side = guarding.root_of(workspace, sidecar.path)
            operation.rewrite(sidecar.path, sidecar.version, sidecar.content(), root=side, mtime="keep")
        record = operation.commit()
    return Merged(record.id if record.changes else "", [])


def apply(
    pair: Pair,
    decision: str = "",
    *,
    command: Sequence[str],
    idle: float,
    force_live: bool = False,
    tz: str = "",
    told: Callable[[Merge, Merged], None] = lambda merge, done: None,
) -> Merged:
    """Plan and carry out; planned anew when an agent saved in between. `told` is given the plan that
    was carried out, while its files are open, and what became of it."""
    refused: RefusedForSafety | None = None
    for _ in range(TRIES):
        try:
            with plan(pair, decision, tz) as merge:
                done = carry_out(merge, command=command, idle=idle, force_live=force_live)
                told(merge, done)
                return done
        except RefusedForSafety as error:
            refused = error
            if error.facts.get("why") != "changed":
                break
    assert refused is not None
    return Merged("", [refused.sentence])


def write(merge: Merge, to: str) -> None:
    """Write what comes out to a new file; A and B stay as they are. Raises UsageError for a bad place, CannotWrite."""
    copying.check(to, [merge.a.workspace, merge.b.workspace])
    if merge.worse:
        raise RefusedForSafety(f"{merge.worse} Nothing was written.", path=to, why="worse")
    write_new(to, _content(merge.result or merge.a.path))


def _content(path: str) -> Iterator[bytes]:
    fd = open_regular(path)
    try:
        yield from read(fd, 0, os.fstat(fd).st_size)
    finally:
        os.close(fd)


def _counted(merge: Merge) -> Draft | None:
    """The file beside A that counts its messages, with the number that they have afterwards; None when it stays."""
    beside = merge.side_b.rules.counted_beside(merge.a.path)
    if merge.new or beside is None or merge.made is None or not os.path.isfile(beside[0]):
        return None
    path, member = beside
    found = counting.checkpoint(merge.made.move, path, member, listing.shown(merge.a.workspace, path))
    return found[0] if found else None


def _key(side: Side) -> str | None:
    header = side.form.records.header(side.header) if side.header else None
    return header.key if header else None
