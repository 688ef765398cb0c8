"""How a journal's counter and Dream's position look, and what setting the position did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.positions import Set, State
from memcli.output import Printer, say
from memcli.output.columns import Column


def as_json(state: State) -> dict[str, Any]:
    """The documented JSON object of a journal's cursors."""
    counter, position = state.journal_state.allocated, state.position
    return {
        "type": "cursor",
        "agent": state.journal.workspace.agent,
        "journal": state.journal.label or None,
        "path": state.journal.shown,
        "counts": state.journal_state.counts,
        "entries": state.entries,
        "allocated": counter.number if counter else None,
        "allocated_path": counter.path if counter else None,
        "next": state.journal_state.upcoming,
        "processed": None if position.dialect else position.used,
        "processed_path": position.path,
        "own": state.own,
        "dialect": position.dialect or None,
        "pending": state.pending,
        "beyond": state.beyond,
        "runs": state.dreams.runs,
        "why": state.dreams.why,
    }


def write(printer: Printer, states: Sequence[State]) -> None:
    """Write the cursors of each journal."""
    columns = [
        Column("JOURNAL", least=12, front=True),
        Column("ENTRIES", right=True, drop=3),
        Column("COUNTER", right=True, drop=2),
        Column("NEXT", right=True, drop=4),
        Column("DREAMT", right=True),
        Column("PENDING", right=True),
        Column("KEPT BY", drop=1),
        Column("THE AGENT'S DREAM", least=20, drop=5),
    ]

    def numbers(state: State) -> list[str]:
        counter = state.journal_state.allocated
        values = (state.entries, counter.number if counter else None, state.journal_state.upcoming, _dreamt(state))
        return [*("" if value is None else str(value) for value in (*values, state.pending))]

    def keeper(state: State) -> str:
        return "memcli" if state.own else "agent"

    printer.rows(
        columns,
        states,
        cells=lambda one: [one.journal.label or one.journal.shown, *numbers(one), keeper(one), one.dreams.why],
        fields=lambda one: [
            one.journal.label or one.journal.shown,
            *numbers(one),
            keeper(one),
            one.position.path,
            one.dreams.why,
        ],
        as_json=as_json,
    )
    for state in states:
        if state.beyond:
            printer.note(
                f"{state.position.path} is beyond the journal: Dream finds nothing to do until that has come so far; --set end "
                "lets it go on with what comes next."
            )
        if state.position.dialect:
            printer.note(f"{state.position.path} holds {state.position.dialect}: it is not this agent's position.")
        elif state.position.text is not None and state.position.number is None:
            printer.note(f"{state.position.path} holds no number, which counts as {state.position.used}.")


def put(printer: Printer, done: Set) -> int:
    """Write what setting the position did; the exit code."""
    if done.refused:
        for sentence in done.refused:
            say(f"memcli: {sentence}")
        return 4
    value = {
        "type": "operation",
        "id": done.id or None,
        "agent": done.journal.workspace.agent,
        "journal": done.journal.label or None,
        "path": done.path,
        "old": done.old,
        "new": done.new,
        "own": done.own,
    }
    old = "" if done.old is None else str(done.old)
    if printer.wants(value):
        if printer.json:
            printer.row(value)
        elif not printer.terminal:
            printer.tabs([[done.id, old, str(done.new), done.path]])
    if not done.id:
        printer.note(f"Dream's position in {done.path} is {done.new} already; nothing was changed.")
        return 0
    printer.note(f"Dream's position in {done.path}: {old or 'none'} -> {done.new}.")
    if done.own:
        printer.note("It is memcli's own note: the agent keeps none, and does not ask for this one.")
    if done.timed:
        printer.note("The file's time was kept: the agent takes it for that of its last Dream.")
    printer.note(f"Undo: memcli undo {done.id}")
    return 0


def _dreamt(state: State) -> int | None:
    return None if state.position.dialect else state.position.used
