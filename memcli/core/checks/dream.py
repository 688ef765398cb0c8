"""How far Dream has come, and whether the agent's own Dream would run."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core import listing, waiting
from memcli.core.checks.framework import Case, Check, evidence, groups, many, repair_words
from memcli.damage.framework import JournalState
from memcli.formats import load
from memcli.formats.facets import Dreams

CHECK = "dream"
LOOKED = "Dream's position"
CODES = ("dream-cursor-ahead", "dream-backlog")
KINDS: tuple[str, ...] = ()
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
        entries = waiting.entries(journal)
        if not entries or journal.path not in files or journal.snapshot is None:
            continue
        dreams = waiting.dreams(case.workspace, files[journal.path], journal, entries, case.snapshot.now)
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


def _stale(journal: JournalState, entries: list[int]) -> float:
    """How long chats went on behind the oldest entry that waits, in seconds; 0 when not long."""
    if journal.snapshot is None:
        return 0.0
    times = [moment for entry in entries if (moment := journal.snapshot.facts.times[entry]) == moment]
    span = times[-1] - times[0] if times else 0.0
    return span if span >= STALE else 0.0


def _in(count: int) -> str:
    return f", in {count:,} journals" if count > 1 else ""
