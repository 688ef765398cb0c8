"""A memory file was written over: words that it held stand in its history only."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import anew
from memcli.core.causes.framework import Case, Chat
from memcli.model import Verdict

CAUSE = "overwritten-by-agent"
LAYER = "memory-history"
MOST = 3


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Words in old versions of memory files and nowhere else."""
    found = chat.rows(LAYER)
    if not found or len(found) < len(case.traces):
        return
    told = []
    for trace in found[:MOST]:
        detail = trace.source.detail
        told.append(f"Commit {detail['commit']} of {trace.when} {detail['change']} the words in {trace.source.shown}.")
    told += [
        sentence for sentence in anew.sentences(chat.workspace) if any(one.source.shown in sentence for one in found)
    ]
    newest = found[0].source
    told.append(
        f"'git -C {newest.detail['repository']} show {newest.detail['commit']}' shows it; memcli does not write it back."
    )
    yield Verdict(chat.key, CAUSE, LAYER, 0, None, tuple(told))
