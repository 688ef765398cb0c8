"""Rows that are in the file, before a tool result that answers no call: the agent replays only what comes behind it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named
from memcli.model import Verdict

CAUSE = "pairing-hides"
DROP = "drop-bad-rows"
MOST = 5
"""So many results without a call are told of."""


def quarantined(rows: int) -> str:
    """What becomes of the rows that a chat is better off without."""
    return "That row goes to quarantine." if rows == 1 else f"{rows:,} such rows go to quarantine."


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with such a result, or with the words in rows that stand before its first user row."""
    sent = case.sent(chat)
    spans = [span for span in case.hidden(chat) if span.code in ("unpaired", "leading")]
    unpaired = [span for span in spans if span.code == "unpaired"]
    if sent is None or not spans or (not unpaired and not case.question.text):
        return
    told = [span.sentence for span in spans]
    gain = case.gain(chat, flags={DROP: ""}) if unpaired else None
    if gain is not None and gain.reaching > 0:
        orphans = [finding.message for finding in case.findings(chat) if finding.code == "orphan-tool-result"]
        told += [*orphans[:MOST], quarantined(gain.quarantined)]
        mend = command(chat.workspace, "repair", named(case, chat), "--apply", f"--{DROP}")
        yield Verdict(chat.key, CAUSE, "session", gain.reaching, 0, tuple(told), mend)
        return
    row = next((trace.row for trace in chat.rows("session") if trace.row), spans[-1].last)
    show = command(chat.workspace, "sessions", "show", named(case, chat), "--row", str(row))
    told.append("They were not lost: the file has them.")
    yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), show)
