"""Locks: what is held by whom, what waits for it, and what was left behind."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core import locking
from memcli.core.checks.framework import SHOWN, Case, Check, evidence, many

CHECK = "locks"
LOOKED = "locks"
CODES = ("stale-lock", "memory-index-lock")
KINDS: tuple[str, ...] = ()


def look(case: Case) -> Iterator[Check]:
    """A line for locks that others wait for, for those whose owner is gone, and for those that are held."""
    rows = locking.locks(case.workspace)
    for storm in locking.storms(rows, case.snapshot.now):
        row = storm.row
        message = f"{many(len(row.waiting), 'process', 'processes')} {'waits' if len(row.waiting) == 1 else 'wait'} for a lock"
        told = [row.message, *(f"Process {one.pid} ({one.program or 'unknown'}) waits." for one in row.waiting[:SHOWN])]
        yield Check(CHECK, "error", message, len(row.waiting), case.command("locks", "ls"), tuple(told))
    stale = [row for row in rows if row.clear]
    if stale:
        verb = "is" if len(stale) == 1 else "are"
        message = (
            f"{many(len(stale), 'lock')} {verb} left behind by processes that are gone: what needs them waits or fails"
        )
        told = [row.message for row in stale[:SHOWN]]
        yield Check(CHECK, "warning", message, len(stale), case.command("locks", "clear"), tuple(told))
    known = {row.path for row in stale}
    found = [one for one in case.told[CHECK] if one.path not in known]
    if found:
        one = len(found) == 1
        message = f"{many(len(found), 'lock')} {'does' if one else 'do'} not say who holds {'it' if one else 'them'}"
        state = "warning" if any(one.severity != "info" for one in found) else "info"
        yield Check(CHECK, state, message, len(found), case.command("locks", "ls"), evidence(case, found))
    held = [row for row in rows if row.state == "alive"]
    if held:
        verb = "is" if len(held) == 1 else "are"
        message = f"{many(len(held), 'lock')} {verb} held: an agent is at work, and repair waits until it is not"
        yield Check(
            CHECK, "info", message, len(held), case.command("locks", "ls"), tuple(row.message for row in held[:SHOWN])
        )
