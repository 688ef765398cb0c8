"""Rows that do not parse: the agent opens the chat empty, or passes over them."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes.framework import Case, Chat, command
from memcli.model import Verdict

CAUSE = "unreadable-row"


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat whose file repair makes readable for its agent; `--lossy` is asked for only where it takes that."""
    view = case.view(chat)
    if view is None or chat.ref is None or view.seen >= view.total:
        return
    for lossy in (False, True):
        gain = case.gain(chat, lossy=lossy)
        if gain is None or gain.rows <= 0:
            continue
        words = ["repair", chat.key, "--apply", *(["--lossy"] if lossy else [])]
        told: tuple[str, ...] = (f"The agent sees {view.seen} of {view.total} rows: {view.reason}.",)
        told += tuple(f"line {f.line}: {f.message}" for f in case.findings(chat) if f.severity == "error")[:5]
        yield Verdict(chat.key, CAUSE, "session", gain.rows, gain.quarantined, told, command(chat.workspace, *words))
        return
