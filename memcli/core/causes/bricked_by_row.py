"""A chat that loads and whose every turn ends with an error: the agent or its model cannot take one row, or the header."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.pairing_hides import DROP, quarantined
from memcli.core.causes.showing import named
from memcli.model import Finding, Verdict

CAUSE = "bricked-by-row"
ROWS = frozenset({"missing-role", "bad-row-shape"})
REFUSED = frozenset({"duplicate-tool-call-id"})
"""What the agent loads and sends, and every provider refuses."""
MOST = 5


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with such a row; repair takes it away where the agent chokes on it."""
    sent = case.sent(chat)
    if sent is None:
        return
    if any(span.code == "fails" for span in case.hidden(chat)):
        told = [f"The chat loads, but every turn of it ends with an error: {sent.fails}."]
        told += [finding.message for finding in _found(case, chat, ROWS)]
        gain = case.gain(chat, flags={DROP: ""})
        if gain is not None and gain.reaching > 0:
            mend = command(chat.workspace, "repair", named(case, chat), "--apply", f"--{DROP}")
            told.append(quarantined(gain.quarantined))
            yield Verdict(chat.key, CAUSE, "session", gain.reaching, 0, tuple(told), mend)
            return
        yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), _show(case, chat, _found(case, chat, ROWS)))
    elif sent.fails and sent.rows:
        told = [f"The chat loads, but every turn of it ends with an error: {sent.fails}.", "Its rows are all there."]
        yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), _show(case, chat, []))
    elif not case.told(chat) and (found := _found(case, chat, REFUSED)):
        told = [f"The agent sends {sent.rows:,} rows, and the model's provider refuses them every time."]
        told += [f"{finding.message} {finding.effect}" for finding in found]
        yield Verdict(chat.key, CAUSE, "session", 0, 0, tuple(told), _show(case, chat, found))


def _found(case: Case, chat: Chat, codes: frozenset[str]) -> list[Finding]:
    return [finding for finding in case.findings(chat) if finding.code in codes][:MOST]


def _show(case: Case, chat: Chat, found: list[Finding]) -> str:
    place = ["--row", str(found[0].row)] if found and found[0].row else []
    return command(chat.workspace, "sessions", "show", named(case, chat), *place)
