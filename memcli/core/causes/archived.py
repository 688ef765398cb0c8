"""What stands in the journal for rows that a chat does not have, or does not send, any more."""

from __future__ import annotations

from memcli.core.causes.framework import Case, Chat
from memcli.core.sources.entries import entries
from memcli.core.sources.framework import Question, Trace
from memcli.core.sources.searched import MOST


def about(case: Case, chat: Chat) -> list[Trace]:
    """The journal's entries that say that they are about the chat, the first MOST of them."""
    journals = [
        source
        for source in case.sources
        if source.layer == "journal" and source.kind != "text" and source.workspace.root == chat.workspace.root
    ]
    found = entries(journals, Question(key=chat.key)) if chat.key else ()
    return [item for item in found if isinstance(item, Trace)]


def told(case: Case, chat: Chat) -> str:
    """The same in a sentence."""
    found = about(case, chat)
    if not found:
        return "No entry of the journal says that it is about this chat."
    cursors = [f"{_cursor(trace)} of {trace.when}" for trace in (found[0], found[-1])]
    if len(found) == 1:
        return f"Entry {cursors[0]} of the journal is about this chat."
    count = f"{len(found)} entries" if len(found) < MOST else f"At least {MOST} entries"
    return f"{count} of the journal are about this chat, {cursors[0]} to {cursors[1]}."


def _cursor(trace: Trace) -> str:
    return str(trace.record.id) if trace.record and trace.record.id is not None else f"in line {trace.line}"
