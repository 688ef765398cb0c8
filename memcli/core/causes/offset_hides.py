"""Rows that are in the file and that the header's archive offset keeps from the model.

Below an offset that is right the rows were summarised on purpose: then nothing is damaged, only who remembers words of them
is told where they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import archived
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "offset-hides"
WRONG = frozenset({"offset-out-of-range", "offset-unreadable"})


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose offset is wrong or hides all of it, or whose words stand in rows before the offset."""
    sent, view = case.sent(chat), case.view(chat)
    spans = [span for span in case.hidden(chat) if span.code.startswith("offset")]
    if sent is None or view is None or not spans:
        return
    wrong = [span for span in spans if span.code in WRONG]
    gain = case.gain(chat) if wrong else None
    if gain is not None and gain.reaching > 0:
        mend = command(chat.workspace, "repair", named(case, chat), "--apply")
        told = [span.sentence for span in spans]
        told += [finding.message for finding in case.findings(chat) if finding.code == "offset-out-of-range"]
        told += [note for note in view.notes if "offset" in note]
        yield Verdict(chat.key, CAUSE, "session", gain.reaching, gain.quarantined, tuple(told), mend)
    elif case.question.text or not sent.rows:
        row = next((trace.row for trace in chat.rows("session") if trace.row), spans[0].first)
        show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", str(row))
        told = [*(span.sentence for span in spans), archived.told(case, chat), "They were not lost: the file has them."]
        yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), show)
