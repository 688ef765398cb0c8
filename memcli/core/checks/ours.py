"""What memcli itself dreams here: what failed or was set aside, what waits for a decision, and whether two dream at once."""

from __future__ import annotations

import time
from collections.abc import Iterator

from memcli.core import inbox, sealing, waiting
from memcli.core.backoff import Backoff
from memcli.core.checks.framework import Case, Check, many
from memcli.core.dream import aside, notes
from memcli.errors import MemcliError
from memcli.formats import load
from memcli.storage import undo
from memcli.storage.state import Store
from memcli.times import iso

CHECK = "memcli-dream"
LOOKED = "what memcli dreamt"
CODES: tuple[str, ...] = ()
KINDS: tuple[str, ...] = ()
RECENT = 7 * 86400.0
"""Seconds after memcli's last Dream in which it is taken to dream here."""


def look(case: Case) -> Iterator[Check]:
    """A line for each thing that somebody should look at."""
    if case.workspace.bundled or case.workspace.shown not in ("", case.workspace.root):
        return  # an archive that somebody sent has no state of ours
    store = sealing.store(case.workspace)
    yield from _both(case, store)
    yield from _failed(case, store)
    kept = aside.read(store)
    if kept:
        what = (
            f"{many(len(kept), 'batch', 'batches')} could not be read by any provider and {_was(len(kept))} set aside"
        )
        told = tuple(f"{one.entries} entries from {one.first} on, {one.time}: {one.why}" for one in kept[:5])
        yield Check(CHECK, "warning", what, len(kept), case.command("dream", "--status"), told)
    yield from _unversioned(case, store)
    proposals = [one for one in inbox.read(store).proposals if one.open]
    if proposals:
        items = sum(len(one.open) for one in proposals)
        what = f"{many(items, 'item')} in {many(len(proposals), 'proposal')} {'waits' if items == 1 else 'wait'} for a decision"
        yield Check(CHECK, "info", what, items, case.command("proposals", "ls"))


def _both(case: Case, store: Store) -> Iterator[Check]:
    """Whether the agent dreams as well."""
    last = max(notes.read(store).times.values(), default=0.0)
    if time.time() - last > RECENT:
        return
    form = load(case.workspace.agent)
    files = {one.path: one for one in (form.journal.files(case.workspace) if form.journal else ())}
    for journal in case.snapshot.journals:
        if journal.path not in files or journal.snapshot is None:
            continue
        entries = waiting.entries(journal)
        dreams = waiting.dreams(case.workspace, files[journal.path], journal, entries, case.snapshot.now)
        if dreams.runs:
            what = "memcli and the agent both dream here, so that what is remembered can stand there twice"
            told = (f"memcli dreamt last at {iso(last)}.", f"The agent: {dreams.why}.")
            yield Check(CHECK, "warning", what, 1, case.command("dream", "--status"), told)
            return


def _failed(case: Case, store: Store) -> Iterator[Check]:
    """What is tried again after a while."""
    now = time.time()
    failed = {key: one for key, one in Backoff.read(store).failures.items() if key.startswith("dream:")}
    for key, one in failed.items():
        wait = max(0.0, one.at + one.wait - now)
        what = f"Dream of {key.removeprefix('dream:')} failed {many(one.times, 'time')} in a row"
        told = (f"It is tried again after {many(round(wait / 60), 'minute')}.",) if wait else ()
        yield Check(CHECK, "warning", what, one.times, case.command("dream", "--status"), told)


def _unversioned(case: Case, store: Store) -> Iterator[Check]:
    """Whether what memcli wrote last is in no commit."""
    try:
        records = undo.listed(store)
    except MemcliError:
        return
    for record in records:
        if not record.commits or record.undone_by:
            continue
        why = next((made.why for made in record.commits if not made.id), "")
        if why:
            what = f"what memcli wrote last into the memory is in no commit: {why}"
            yield Check(CHECK, "warning", what, 1, case.command("diff"))
        return


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
