"""A summary put in its places, all of them or none: session, memory or journal, marks, archive, commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from memcli.core import counting, guarding, landing, noting, positions, provenance, row_marks, sealing, turns
from memcli.core.compact import marks
from memcli.core.compact.gathering import Gathered, merged
from memcli.core.compact.marks import Mark
from memcli.core.compact.names import WHAT, workspace_of
from memcli.core.compact.plan import Span
from memcli.core.compact.reach import journal_of
from memcli.core.compact.wishes import Wishes
from memcli.core.drafts import Draft
from memcli.core.dream import marks as dream_marks
from memcli.core.dream.made import PROMPT, PROVIDER, SOURCE
from memcli.core.landing import Landed, Landing
from memcli.errors import RefusedForSafety, UsageError
from memcli.formats import compacting, load, rules
from memcli.formats.facets import Essence
from memcli.formats.protocols import Compacting
from memcli.model import NOTHING, Item
from memcli.storage import row_archive
from memcli.storage.decode import decode
from memcli.storage.operation import Operation
from memcli.storage.row_archive import Removed
from memcli.storage.versions import read_version
from memcli.times import iso

Extra = Callable[[Operation], None]


class Maker(NamedTuple):
    """Who made a summary, and when (epoch seconds)."""

    provider: str
    model: str
    prompt: str
    seconds: float


class Written(NamedTuple):
    """What was written; `left` older lines had no room in the session's summary any more."""

    landed: Landed
    left: int


def plan(span: Span, gathered: Gathered, seconds: float) -> Landing:
    """What the memory would get. Raises CannotRead, UsageError, RefusedForSafety."""
    facet = compacting(span.ref.agent)
    if facet.MEMORY != "memory":
        return Landing((), refused=gathered.refused)
    workspace = workspace_of(span.ref)
    found = landing.plan(workspace, gathered.sure, seconds=seconds, allow_loss=False, places=facet)
    return found._replace(refused=(*found.refused, *gathered.refused))


def land(
    span: Span,
    cut: int,
    gathered: Gathered,
    maker: Maker,
    wishes: Wishes,
    *,
    command: Sequence[str],
    extra: Extra | None = None,
    more: Mapping[str, Sequence[str]] = NOTHING,
) -> Written:
    """Write the summary of the rows up to `cut`, in one operation, to which `extra` adds; `more` are further trailers. Raises
    RefusedForSafety when something changed meanwhile or an agent is at work, CannotRead, CannotWrite; then nothing is changed, or
    the sentence says so."""
    one = _Landing(span, cut, gathered, maker, extra, more)
    for _ in range(landing.TRIES - 1):
        planned = plan(span, gathered, maker.seconds)
        try:
            return Written(one.carry_out(planned, wishes, command), one.left)
        except RefusedForSafety as error:
            mine = {os.path.realpath(file.path) for file in planned.files}
            if error.facts.get("why") != "changed" or str(error.facts.get("path")) not in mine:
                raise
    return Written(one.carry_out(plan(span, gathered, maker.seconds), wishes, command), one.left)


def about(span: Span, cut: int, items: Sequence[Item], maker: Maker) -> dict[str, Any]:
    """What the run says of itself, for the state folder: where the rows of each item are."""
    rows = sorted({source.cursor for item in items for source in item.sources})
    said = [
        {
            "number": row,
            "kind": "session",
            "name": span.ref.key,
            "first": row,
            "last": row,
            "digest": _digest(span, row),
        }
        for row in rows
    ]
    return {**maker._asdict(), "source": WHAT, "name": span.ref.key, "moved": moved(span, cut), "said": said}


def moved(span: Span, cut: int) -> str:
    """The rows that are summarised, in words."""
    first, last = span.archived + span.summarised + 1, span.archived + cut
    return f"row {last}" if first == last else f"rows {first}-{last}"


def trailers(span: Span, cut: int, maker: Maker) -> Mapping[str, Sequence[str]]:
    """What stands at the end of the commit's message."""
    return {
        PROVIDER: (f"{maker.provider} {maker.model}".strip(),),
        **({PROMPT: (maker.prompt,)} if maker.prompt else {}),
        SOURCE: (f"{span.ref.key} {moved(span, cut)}",),
    }


def sidecar(span: Span, change: int) -> Draft | None:
    """The file beside the session that counts its rows, with so many more in it; None where there is none to change."""
    beside = rules(span.ref.agent).counted_beside(span.ref.path)
    if beside is None or not change or not os.path.isfile(beside[0]):
        return None
    found = counting.checkpoint(lambda number: max(0, number + change), *beside, beside[0])
    return found[0] if found else None


def enter_sidecar(operation: Operation, span: Span, draft: Draft | None) -> None:
    """Have an operation write it: it must not be older than the session, so both keep their times."""
    if draft is not None:
        root = guarding.root_of(workspace_of(span.ref), draft.path)
        operation.rewrite(draft.path, draft.version, draft.content(), root=root, mtime="keep")


def enter_rest(operation: Operation, span: Span, size: int) -> None:
    """Where Dream noted that it has read all of the file as it was: have the operation note the same of the file with its new
    `size`, so that not every later run reads it anew."""
    known = dream_marks.read(sealing.store(workspace_of(span.ref)))
    workspace = workspace_of(span.ref)
    key = load(workspace.agent).layout.key_of(workspace, span.ref.path)
    mark = known.by_session.get(key)
    if mark is None or (mark.size, mark.mtime_ns) != (span.version.size, span.version.mtime_ns):
        return
    for one in known.write({key: mark._replace(size=size)}):
        assert one.expected is not None
        operation.rewrite(one.path, one.expected, one.data, root=one.root, lasting=True)


class _Landing:
    """One summary on its way."""

    def __init__(
        self,
        span: Span,
        cut: int,
        gathered: Gathered,
        maker: Maker,
        extra: Extra | None,
        more: Mapping[str, Sequence[str]],
    ) -> None:
        self.span, self.cut, self.gathered, self.maker = span, cut, gathered, maker
        self.extra, self.more = extra, more
        self.ref, self.workspace = span.ref, workspace_of(span.ref)
        self.store = sealing.store(self.workspace)
        self.facet: Compacting = compacting(span.ref.agent)
        self.journal = journal_of(span.ref)
        self.held = ExitStack()
        text, self.left = merged(span.summary, gathered.points)
        era = span.ref.workspace.era
        essence = Essence(text, cut, maker.seconds, str(span.header.get("updated_at") or ""))
        head = self.facet.head(span.head, essence, era)
        if head is None:
            raise RefusedForSafety(
                f"The header of {self.ref.shown} has no place for a summary: its metadata is no object. Nothing was changed.",
                path=self.ref.path,
                why="damaged",
            )
        self.head, self.row = b"".join(head), self.facet.inserted(essence, span.first, era)

    def carry_out(self, planned: Landing, wishes: Wishes, command: Sequence[str]) -> Landed:
        span, maker = self.span, self.maker
        self.sidecar = sidecar(span, int(bool(self.row) and not self.facet.REMOVES))
        with ExitStack() as self.held:
            return landing.carry_out(
                self.workspace,
                planned,
                kind=WHAT,
                seconds=maker.seconds,
                trailers={**trailers(span, self.cut, maker), **self.more},
                about=about(span, self.cut, [item for file in planned.files for item in file.items], maker),
                extra=self._enter,
                also=self._files(),
                command=command,
                idle=wishes.idle,
                force_live=wishes.force_live,
            )

    def _files(self) -> list[str]:
        """The agent's files that change beside the memory."""
        found = [self.ref.path]
        if self.journal is not None and self.facet.REMOVES:
            found += [self.journal.file.processed] if self.journal.file.processed else []
        elif self.journal is not None:
            found += [one for one in (self.journal.file.path, self.journal.file.allocated) if one]
        return found + ([self.sidecar.path] if self.sidecar else [])

    def _enter(self, operation: Operation, planned: Landing) -> None:
        """All that is not memory."""
        span, ref, facet = self.span, self.ref, self.facet
        root = guarding.root_of(self.workspace, ref.path)
        operation.rewrite(ref.path, span.version, self._pieces(), root=root, mtime="keep")
        enter_sidecar(operation, span, self.sidecar)
        if facet.REMOVES:
            removed = Removed(ref.key, ref.agent, os.path.realpath(ref.path), self.cut, iso(self.maker.seconds))
            row_archive.add(operation, self.store, removed, span.bytes(0, self.cut))
            self._lower(operation)
        elif self.journal is not None:
            self.held.enter_context(noting.alone(self.journal, self.store))
            text = facet.entry(self.gathered.items)
            noting.enter(operation, self.journal, text, session=ref.key, seconds=self.maker.seconds)
        marks.enter(operation, self.store, self._mark())
        enter_rest(operation, span, self._size())
        if not planned.files:  # else it is kept with the memory
            items = self.gathered.items
            told = about(span, self.cut, items, self.maker)
            provenance.keep(operation, self.store, told, [(ref.path, item, item.text) for item in items])
        if self.extra:
            self.extra(operation)

    def _pieces(self) -> Iterator[bytes]:
        span = self.span
        yield self.head
        if not self.facet.REMOVES:
            yield from span.bytes(0, self.cut)
        yield self.row
        yield from span.bytes(self.cut, span.rows)

    def _lower(self, operation: Operation) -> None:
        """Dream's position counts rows: those that went, and the one that came."""
        path = self.journal.file.processed if self.journal else None
        if self.journal is None or path is None:
            raise UsageError(f"{self.ref.shown} has no position of Dream. Nothing was changed.")
        version = read_version(path)
        number = (positions.position(self.journal)[0].used or 0) - self.cut + 1
        if number < 1:
            raise RefusedForSafety(
                f"Dream's position in {path} was set back meanwhile. Nothing was changed; run this again.",
                path=path,
                why="moved",
            )
        root = guarding.root_of(self.workspace, path)
        operation.rewrite(path, version, str(number).encode(), root=root, mtime="keep")

    def _size(self) -> int:
        """That of the new file."""
        span = self.span
        taken = span.places[self.cut] if self.facet.REMOVES else span.places[0]
        return span.version.size - taken + len(self.head) + len(self.row)

    def _mark(self) -> Mark:
        span, cut = self.span, self.cut
        removes = self.facet.REMOVES
        size = self._size()
        rests = cut >= turns.kept(span.turns, turns.KEEP)
        first = row_marks.digest(decode(self.row).values[0], self.row) if removes else span.digests[0]
        return Mark(
            span.mark.path,
            1 if removes else cut,
            () if removes else span.digests[max(0, cut - row_marks.KEPT) : cut],
            first,
            size if rests else -1,
            span.version.mtime_ns if rests else 0,
        )


def _digest(span: Span, row: int) -> str:
    index = row - span.archived - 1
    return span.digests[index] if 0 <= index < span.rows else ""
