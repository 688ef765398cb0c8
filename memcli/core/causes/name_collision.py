"""Rows of one chat in the file of another: their names come out the same, or rows were copied."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.peeking import beginning
from memcli.core.causes.showing import named
from memcli.core.planning import plan
from memcli.core.wishes import Wishes
from memcli.formats import load
from memcli.model import Finding, SessionRef, Verdict

CAUSE = "name-collision"
CODE = "foreign-record"
LARGEST = 64 << 20


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with rows in another's file; for words, the chat that the rows with them say they are of."""
    if case.question.text:
        yield from _of_words(case, chat)
    elif chat.key:
        for ref in _holders(case, chat):
            yield from _judged(case, ref, chat.key)
        if not case.told(chat):
            yield from _shared(case, chat)


def _shared(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A session without a file of its own: the name that its key maps to is another's as well, and rows do not say whose they
    are."""
    layout = load(chat.workspace.agent).layout
    name = layout.name_of(chat.key, chat.workspace.era) if chat.ref is None else None
    for row in case.listed(chat.workspace) if name else ():
        if os.path.basename(row.file) == name and row.key != chat.key:
            told = (
                f"The agent keeps {chat.key} and {row.key} in one file, {name}: the rows of both stand in {row.path}.",
                "Its header names the one that wrote last. No row says which of them it is of.",
            )
            ref = listing.reference(row, [chat.workspace])
            show = command(ref.workspace, "sessions", "show", named(case, Chat(ref.key, ref.workspace, ref)))
            yield Verdict(chat.key, CAUSE, "session", 0, 0, told, show)


def _of_words(case: Case, chat: Chat) -> Iterator[Verdict]:
    """Words that stand in rows of other chats only."""
    rows = [trace.row for trace in chat.rows("session") if trace.row]
    if chat.ref is None or not rows or len(rows) < len(chat.traces):
        return
    owners = [_owner(finding, row) for row in rows for finding in [_at(case, chat, row)]]
    if all(owners):
        for owner in dict.fromkeys(owners):
            yield from _judged(case, chat.ref, owner)


def _judged(case: Case, ref: SessionRef, owner: str) -> Iterator[Verdict]:
    """The verdict on the rows of `owner` in the file of another session."""
    holder = Chat(ref.key, ref.workspace, ref)
    found = [one for one in case.findings(holder) if one.code == CODE and one.data["owner"] == owner]
    if not found:
        return
    told = [finding.message for finding in found]
    home = case.file(ref.workspace, owner)
    if home is None or home.path == ref.path or not found[0].data["home"]:
        told.append(f"The agent shows them in the chat {ref.key}.")
        yield Verdict(owner, CAUSE, "session", 0, 0, tuple(told), command(ref.workspace, "sessions", "show", ref.key))
        return
    mine = Chat(owner, ref.workspace, home)
    views = plan(ref.workspace, Wishes(flags={"reroute": ""}), only=[ref, home], tz=case.scope.tz).views.get(home.path)
    rows = views[1].seen - views[0].seen if views and views[1] else 0
    if rows > 0:
        words = ("repair", named(case, holder), named(case, mine), "--reroute", "--apply")
        yield Verdict(owner, CAUSE, "session", rows, 0, tuple(told), command(ref.workspace, *words))


def _holders(case: Case, chat: Chat) -> Iterator[SessionRef]:
    """The other sessions in whose files the chat's key stands."""
    layout = load(chat.workspace.agent).layout
    if layout.name_of(chat.key, chat.workspace.era) is None:
        return
    wanted = chat.key.encode("utf-8", "surrogateescape")
    for row in case.listed(chat.workspace):
        if (chat.ref is None or row.file != chat.ref.path) and row.key != chat.key and wanted in _body(row.file):
            yield listing.reference(row, [chat.workspace])


def _body(path: str) -> bytes:
    """What stands in a file below its first line."""
    return beginning(path, LARGEST).partition(b"\n")[2]


def _at(case: Case, chat: Chat, row: int) -> Finding | None:
    found = [one for one in case.findings(chat) if one.code == CODE and one.row is not None and one.row <= row]
    return max(found, key=lambda one: one.row or 0, default=None)


def _owner(finding: Finding | None, row: int) -> str:
    """Whose a row is by the run of rows that begins at or before it; "" for the session's own."""
    if finding is None or finding.row is None or row >= finding.row + finding.data["end"] - finding.data["start"]:
        return ""
    return str(finding.data["owner"])
