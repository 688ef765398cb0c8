"""How far Dream has come, and whether the agent's own Dream would run."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.checks.framework import Case, Check, evidence, groups, many, repair_words
from memcli.damage.framework import JournalState
from memcli.formats import habits, load
from memcli.formats.facets import Dreams, Waiting
from memcli.storage.facts import NUMBER, UNREAD

CHECK = "dream"
LOOKED = "Dream's position"
CODES = ("dream-cursor-ahead", "dream-backlog")
KINDS: tuple[str, ...] = ()
READ = 2000
"""Of so many entries that wait the characters are counted."""
STALE = 24 * 3600.0
"""Seconds of chats behind the oldest entry that waits, after which Dream is taken to be failing."""


def look(case: Case) -> Iterator[Check]:
    """A line for positions beyond the journal, and one for each journal with entries that wait."""
    for group in groups(one for one in case.told[CHECK] if one.code == "dream-cursor-ahead"):
        message = f"Dream never runs again: its position is beyond the journal{_in(len(group.paths))}"
        command = case.command(*repair_words(group))
        yield Check(CHECK, group.state, message, len(group.paths), command, evidence(case, group.findings))
    form = load(case.workspace.agent)
    files = {one.path: one for one in (form.journal.files(case.workspace) if form.journal else ())}
    for journal in case.snapshot.journals:
        entries = _waiting(journal)
        if not entries or journal.path not in files or journal.snapshot is None:
            continue
        waiting = Waiting(len(entries), _characters(case, journal, entries), _last(journal), case.snapshot.now)
        dreams = habits(case.workspace.agent).dreams(case.workspace, files[journal.path], waiting)
        yield _check(case, journal, entries, dreams)


def _check(case: Case, journal: JournalState, entries: list[int], dreams: Dreams) -> Check:
    path = listing.shown(case.workspace, journal.path)
    noun = many(len(entries), "entry", "entries")
    what = f"{noun} of {case.name(path)} {'waits' if len(entries) == 1 else 'wait'} for Dream"
    if dreams.runs is None:
        what = f"{noun} in {case.name(path)}"
    told = []
    stale = _stale(journal, entries) if dreams.runs else 0.0
    if stale:
        days = many(int(stale // 86400), "day")
        told.append(f"The oldest has waited while {days} of chats went on: Dream fails, or nothing runs it.")
    command = case.about(path, "tail", behind=["-n", str(len(entries))])
    return Check(CHECK, "warning" if stale else "info", f"{what}: {dreams.why}", len(entries), command, tuple(told))


def _waiting(journal: JournalState) -> list[int]:
    """The entries that Dream has not read; all of them where no position is on disk."""
    rows, position = journal.snapshot, journal.processed
    if rows is None or (position is not None and position.dialect):
        return []
    readable = [entry for entry in range(len(rows.facts)) if not rows.facts.flags[entry] & UNREAD]
    if position is None or position.used is None:
        return readable
    if journal.counts == "records":
        return readable[max(0, position.used) :]
    facts = rows.facts
    return [entry for entry in readable if facts.flags[entry] & NUMBER and facts.ids[entry] > position.used]


def _characters(case: Case, journal: JournalState, entries: list[int]) -> int:
    """The characters of the member that Dream's rule counts, of the first READ entries."""
    total = 0
    for entry in entries[:READ]:
        value = journal.snapshot.value(entry) if journal.snapshot else None
        content = value.get("content") if isinstance(value, dict) else None
        total += len(content) if isinstance(content, str) else 0
    return total


def _last(journal: JournalState) -> float | None:
    """When Dream last ended: the time of its position."""
    if journal.processed is None:
        return None
    try:
        return os.stat(journal.processed.path).st_mtime
    except OSError:
        return None


def _stale(journal: JournalState, entries: list[int]) -> float:
    """How long chats went on behind the oldest entry that waits, in seconds; 0 when not long."""
    if journal.snapshot is None:
        return 0.0
    times = [moment for entry in entries if (moment := journal.snapshot.facts.times[entry]) == moment]
    span = times[-1] - times[0] if times else 0.0
    return span if span >= STALE else 0.0


def _in(count: int) -> str:
    return f", in {count:,} journals" if count > 1 else ""
