"""Journal entries that Dream never reads: its position is beyond them, or their numbers were given before."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memcli.core import surroundings
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.examining import Target, screened
from memcli.core.sources.framework import Trace
from memcli.damage import counters, dreaming, entry_cursors, misshapen
from memcli.damage.framework import JournalState, RowsSnapshot, WorkspaceSnapshot
from memcli.damage.journals import is_numbered, numbers
from memcli.formats import faults, load
from memcli.model import Action, Finding, Verdict

CAUSE = "never-dreamt"
REDREAM = "redream"
GLOBAL = "global"
"""The layer of the memory that an agent keeps for itself."""


class Place(NamedTuple):
    """A position that leaves entries out: the finding, the journal, and how many entries more Dream reads once it is set."""

    finding: Finding
    journal: JournalState
    entries: int


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A journal that was asked for, or that holds the words, and that Dream does not read, or not all of."""
    traces = {trace.source.path: trace for trace in chat.traces if trace.source.kind == "journal"}
    wanted = {*traces, *([chat.ref.path] if chat.ref else [])}
    facet = load(chat.workspace.agent).journal
    if chat.workspace.files or facet is None or not wanted & {one.path for one in facet.files(chat.workspace)}:
        return
    view = case.view(chat)
    if view is not None and view.seen < view.total:  # it must be mended first: Dream cannot read it at all
        return
    snapshot = _snapshot(case, chat)
    for place in _places(snapshot):
        if place.journal.path in wanted:
            folder = os.path.dirname(place.journal.path)
            words = ("repair", "--only", place.finding.code, f"--{REDREAM}", "--apply")
            again = command(chat.workspace._replace(root=folder, shown=""), *words)
            told = (place.finding.message, "What was dreamt of it already is dreamt again.")
            yield Verdict(chat.key, CAUSE, "journal", place.entries, 0, told, again)
            return
    if any(trace.source.layer == "memory" for trace in case.traces):
        return
    yield from _kept_nothing(chat, snapshot, traces)
    for finding in entry_cursors.detect(snapshot):
        trace = traces.get(finding.path)
        if trace is not None and trace.row in finding.data.get("rows", ()):
            told = (finding.message, f"Row {trace.row} of {trace.source.shown} has the words.")
            yield Verdict(chat.key, CAUSE, "journal", 0, 0, told)
            return
    for journal in snapshot.journals:
        for finding in misshapen.detect(journal.snapshot) if journal.snapshot and journal.path in traces else ():
            if finding.row == traces[journal.path].row:
                told = (f"{finding.message} It is passed over.", f"Row {finding.row} of {journal.path} has the words.")
                yield Verdict(chat.key, CAUSE, "journal", 0, 0, told)
                return


def _kept_nothing(chat: Chat, snapshot: WorkspaceSnapshot, traces: Mapping[str, Trace]) -> Iterator[Verdict]:
    """A journal that Dream has come through, of an agent that cannot make the memory file which it has not."""
    form = load(chat.workspace.agent)
    fault = faults(chat.workspace.agent).get(CAUSE)
    files = form.memory.files(chat.workspace) if form.memory and fault else []
    memory = {one.path for one in files if one.layer == GLOBAL}
    for journal in snapshot.journals:
        folder = os.path.dirname(journal.path)
        wanted = journal.path in traces or (chat.ref is not None and chat.ref.path == journal.path)
        position = journal.processed.used if journal.processed else None
        missing = [path for path in memory if os.path.dirname(path) == folder and not os.path.lexists(path)]
        if fault and wanted and position and position > 0 and missing:
            told = (f"Dream has come to {position}, and {missing[0]} does not exist.", fault)
            yield Verdict(chat.key, CAUSE, "journal", 0, 0, told)
            return


def _snapshot(case: Case, chat: Chat) -> WorkspaceSnapshot:
    """The journals of the workspace and their cursors, and nothing else of it."""
    workspace = chat.workspace

    def screen(path: str, kind: str) -> RowsSnapshot | None:
        return screened(Target(path, path, kind, workspace), case.scope.tz)

    return surroundings.snapshot(workspace, (), (), screen, {REDREAM: ""})


def _places(snapshot: WorkspaceSnapshot) -> Iterator[Place]:
    """The positions that repair can set so that Dream reads more."""
    for module, code in ((dreaming, dreaming.AHEAD.code), (counters, counters.GARBAGE.code)):
        for finding in module.detect(snapshot):
            if finding.code != code:
                continue
            journal = snapshot.journals[finding.data["journal"]]
            for change in module.mend(snapshot, finding):
                if isinstance(change, Action) and journal.processed and change.path == journal.processed.path:
                    before = _read(snapshot, journal, journal.processed.used or 0)
                    entries = _read(snapshot, journal, int(change.detail)) - before
                    if entries > 0:
                        yield Place(finding, journal, entries)


def _read(snapshot: WorkspaceSnapshot, journal: JournalState, position: int) -> int:
    """How many entries the next Dream reads from a position."""
    known = numbers(snapshot, journal)
    if known is None or journal.snapshot is None:
        return 0
    if journal.counts == "records":  # a negative one counts from the end
        return len(range(known.records)[position:])
    facts = journal.snapshot.facts
    return sum(
        1 for number, flag in zip(facts.ids, facts.flags, strict=True) if number > position and is_numbered(flag)
    )
