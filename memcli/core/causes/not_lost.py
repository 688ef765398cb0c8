"""The chat is where it belongs, and the agent shows it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import archived
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.sources.framework import Trace
from memcli.model import Verdict

CAUSE = "not-lost"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat that the agent lists and loads whole, and that nothing else is said of. Words that no chat has (any more), and that
    the journal or memory has."""
    view = case.view(chat)
    rows = chat.rows("session")
    if case.question.text and not case.told(chat) and not rows:
        yield from _remembered(chat)
        return
    if case.told(chat) or chat.ref is None or view is None or not view.listed:
        return
    loaded = f"all {view.total}"
    if view.seen < view.total:
        if not view.seen or not any(trace.record for trace in rows):
            return
        loaded = f"{view.seen} of {view.total}"
    told = [f"The agent lists the chat and loads {loaded} rows."]
    places = dict.fromkeys(f"Row {trace.row} of {chat.ref.shown} has the words." for trace in rows if trace.row)
    told += [*places][:3]
    told += [span.sentence for span in case.hidden(chat)] if case.question.text else view.notes
    place = ["--row", str(rows[0].row)] if rows and rows[0].row else []
    show = command(chat.workspace, "sessions", "show", chat.key, *place)
    yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), show)


def _remembered(chat: Chat) -> Iterator[Verdict]:
    """The words in the journal, else in the memory files."""
    for layer in ("journal", "memory"):
        found = chat.rows(layer)
        if found:
            places = [f"{_place(trace)} of {trace.source.shown} has the words." for trace in found[:3]]
            shown = archived.show(found[0]) if found[0].source.kind == "journal" and found[0].row else ""
            yield Verdict(chat.key, CAUSE, layer, 0, 0, (*places, "They stand in no chat."), shown)
            return


def _place(trace: Trace) -> str:
    return f"Row {trace.row}" if trace.row else f"Line {trace.line}"
