"""Temporary files of writes that were interrupted: a whole and newer one may be the better file; memcli's own just go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.damage.entries import is_alone
from memcli.damage.framework import Class, FileSnapshot, PartState, RowsSnapshot, WorkspaceSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import UNREAD

SCOPE = "workspace"
CLASSES = (
    Class(
        "leftover-temp",
        "what an interrupted write left",
        "info",
        "report",
        looks="A temporary file stands beside the file that it was to become.",
        does="Tells whether it is whole and newer; --adopt-temp then puts it in the place of the file. One that memcli itself "
        "left when it was killed goes with the next memcli command that writes (repair --apply, undo), which finishes or drops "
        "what was interrupted; repair --apply also removes one that no unfinished operation knows.",
        lost="Nothing: the file that it replaces can be had back with undo, and memcli's own goes to quarantine.",
        flag="--adopt-temp",
    ),
)
ROWS = ".jsonl"
EFFECT = "Nothing: no agent reads a file called so."
WAIT = 60.0
"""Seconds after which a file of memcli's that nobody knows is taken to be nobody's: writing one takes less."""


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """A finding for each temporary file."""
    status = {file.path: file.status for file in snapshot.files}
    read = {session.path: session.snapshot for session in snapshot.sessions}
    for path, target in snapshot.temporaries:
        candidate = False
        about: dict[str, Any] = {"target": target or None}
        own, other = status.get(path), status.get(target)
        name = os.path.basename(target)
        if own is not None and not own.st_size:
            message = "It is empty: nothing had been written yet."
        elif not target:
            message = "What it was to become its name does not tell."
        elif not target.endswith(ROWS):
            message = f"It may hold a newer {name}; whether it is whole cannot be told."
        else:
            rows = snapshot.screen(path)
            before = None if other is None else read.get(target) or snapshot.screen(target)
            newer = own is not None and (other is None or own.st_mtime_ns > other.st_mtime_ns)
            about |= {"whole": _is_whole(rows), "newer": newer}
            about |= {"rows": _rows(rows), "rows_of_target": _rows(before)}
            empty = other is not None and not other.st_size
            candidate = about["whole"] and (newer or empty) and _rows(rows) >= _rows(before)
            message = _sentence(name, about, other is None)
        repair, flag = ("flag", CLASSES[0].flag) if candidate else ("report", "")
        severity = "warning" if candidate else "info"
        yield CLASSES[0].finding(path, message, severity=severity, repair=repair, flag=flag, data=about)
    files = {file.path: file for file in snapshot.files}
    for part in snapshot.parts:
        message, repair = _own(part, files[part.path], snapshot.now)
        data = {"own": True, "awaited": part.awaited}
        yield CLASSES[0].finding(part.path, message, effect=EFFECT, repair=repair, flag="", data=data)


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Let it become what it was meant to be; the old bytes of the target must be kept by whoever carries it out. What memcli
    itself left goes."""
    if finding.repair == "safe":
        return [Action("remove", finding.path, finding.code)]
    if finding.repair != "flag":
        return []
    path = next(path for path, target in snapshot.temporaries if target == finding.data["target"])
    return [Action("rename", path, finding.code, finding.data["target"])]


def _own(part: PartState, file: FileSnapshot, now: float) -> tuple[str, str]:
    """What is said of a file that memcli itself made, and what repair does."""
    status = file.status
    if part.at_work:
        return "It is memcli's own: memcli is writing here right now, and removes it when it is done.", "report"
    if part.awaited:
        message = "It is memcli's own, from an operation that was interrupted. The next memcli command that writes here"
        return f"{message} (repair --apply, undo) finishes or drops that operation and removes it.", "report"
    if status is not None and status.st_nlink > 1:
        message = "It is memcli's own, and a second name of a file that is in its place:"
        return f"{message} nothing is lost when you delete this name.", "report"
    if status is None or -WAIT < now - status.st_ctime < WAIT:
        message = "It is memcli's own and was made just now: a memcli may be at work. If it stays,"
        return f"{message} repair --apply removes it.", "report"
    message = "It is memcli's own, left when memcli was killed, and no unfinished operation knows it:"
    return f"{message} repair --apply removes it.", "safe"


def _is_whole(rows: RowsSnapshot | None) -> bool:
    """Whether every row could be read, and a newline ends the last one."""
    if rows is None:
        return False
    if not len(rows.facts):
        return rows.header_line is not None and rows.header_line.ended
    return not any(flag & UNREAD for flag in rows.facts.flags) and is_alone(rows, len(rows.facts) - 1)


def _rows(rows: RowsSnapshot | None) -> int:
    return 0 if rows is None else sum(not flag & UNREAD for flag in rows.facts.flags)


def _sentence(name: str, about: dict[str, Any], missing: bool) -> str:
    held = count(about["rows"], "row")
    if missing:
        state = "It is whole" if about["whole"] else "It is torn"
        return f"{state} and has {held}; {name}, which it was to become, does not exist."
    compared = f"it has {held}, {name} has {count(about['rows_of_target'], 'readable row')}"
    age = "newer" if about["newer"] else "older"
    if not about["whole"]:
        return f"It is torn and {age} than {name}; {compared}."
    if about["newer"] and about["rows"] < about["rows_of_target"]:
        return f"It is whole and newer, but {compared}."
    return f"It is whole and {age} than {name}; {compared}."
