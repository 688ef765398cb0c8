"""Two session files with one key, and two keys that are kept in one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from json import dumps

from memcli.damage.entries import member_place
from memcli.damage.framework import Class, SessionState, WorkspaceSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "key-collision",
        "two files with one key, or two keys in one file",
        "warning",
        "report",
        looks="The headers of two files have the same key, or the names of two keys come out the same.",
        does="Nothing by itself; --reroute gives a header the key that all rows of the file and its name agree on.",
        flag="--reroute",
    ),
)
KEY = "key"
"""The member of a header that holds the session's key."""
NAMED = 5


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """A finding for each file that claims another's key, and one for each file that holds several sessions."""
    copies = {path for path, _ in snapshot.copies}
    claimed: dict[str, list[SessionState]] = {}
    for session in snapshot.sessions:
        if session.key is not None and session.expected is not None and session.path not in copies:
            claimed.setdefault(os.path.join(os.path.dirname(session.path), session.key), []).append(session)
        yield from _several(session)
    for sessions in claimed.values():
        if len(sessions) > 1:
            yield from _claimed(sessions)


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Write the key that the rows name into the header."""
    owner = finding.data.get("owner")
    for session in snapshot.sessions:
        rows = session.snapshot
        if owner and rows is not None and _only_owner(session) == owner and rows.header_line is not None:
            line = rows.header_line
            place = member_place(line.raw or b"", KEY)
            if place is not None:
                new = dumps(owner, ensure_ascii=False).encode("utf-8", "replace")
                return [Edit(line.offset + place[0], place[1] - place[0], new, finding.code)]
    return []


def _claimed(sessions: list[SessionState]) -> Iterator[Finding]:
    """Findings for files of one key: those that are not called as the key maps to, or all when none is."""
    right = next((one for one in sessions if os.path.basename(one.path) == one.expected), None)
    for session in sessions:
        if session is right:
            continue
        other = right or next(one for one in sessions if one is not session)
        owner = _only_owner(session)
        message = f"Its header has the key {session.key}, as {os.path.basename(other.path)} has."
        if owner:
            message += f" All its rows, and its name, say {owner}."
        repair, flag = ("flag", CLASSES[0].flag) if owner else ("report", "")
        data = {"key": session.key, "other": other.path, "owner": owner}
        yield CLASSES[0].finding(session.path, message, repair=repair, flag=flag, data=data)


def _several(session: SessionState) -> Iterator[Finding]:
    """A finding when rows of the file name keys that the agent keeps in this very file."""
    rows = session.snapshot
    if rows is None or session.key is None:
        return
    others = [owner for owner in rows.facts.owners if owner and owner != session.key and rows.home(owner) == rows.path]
    if others and _only_owner(session) is None:
        named = ", ".join(others[:NAMED]) + (", ..." if len(others) > NAMED else "")
        message = f"The sessions {session.key} and {named} share this file: their names come out the same."
        yield CLASSES[0].finding(
            session.path, message, repair="report", flag="", data={"keys": [session.key, *others[:NAMED]]}
        )


def _only_owner(session: SessionState) -> str | None:
    """The key that all rows name, if it is another than the header's and the one that the file is called after."""
    rows = session.snapshot
    owners = {owner for owner in rows.facts.owners if owner} if rows is not None else set()
    if rows is None or len(owners) != 1:
        return None
    owner = owners.pop()
    return owner if owner != session.key and rows.home(owner) == rows.path else None
