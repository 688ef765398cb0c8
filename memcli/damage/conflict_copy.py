"""Second copies of a file that sync tools, file managers and editors made."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.damage.framework import Class, RowsSnapshot, WorkspaceSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import UNREAD

SCOPE = "workspace"
CLASSES = (
    Class(
        "conflict-copy",
        "a second copy of a file",
        "warning",
        "report",
        looks="A file has the name that a sync tool or a file manager gives to a second version of another one.",
        does="Removes it when it is equal, or when the file goes on from it; takes its place when it goes on from the file.",
        lost="Nothing: what is removed goes to quarantine. Where the two went apart, both stay.",
    ),
)
ROWS = ".jsonl"
LARGEST = 16 << 20
"""Files up to so many bytes are compared."""


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """A finding for each copy whose original is there."""
    present = {file.path for file in snapshot.files}
    for path, original in snapshot.copies:
        name = os.path.basename(original)
        if original not in present:
            message = f"It is named as a copy of {name}, which does not exist."
            yield CLASSES[0].finding(path, message, severity="info", data={"original": original, "state": "alone"})
            continue
        state, message = _compared(snapshot, path, original)
        repair = "safe" if state in SAFE else "report"
        data = {"original": original, "state": state}
        yield CLASSES[0].finding(path, f"{message.format(name=name)}", repair=repair, data=data)


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Keep the one that holds more, under the name of the original."""
    original, state = finding.data["original"], finding.data["state"]
    path = next(path for path, other in snapshot.copies if other == original and _is_named(path, finding))
    if state in ("equal", "shorter"):
        return [Action("remove", path, finding.code)]
    return [Action("rename", path, finding.code, original)] if state == "longer" else []


SAFE = ("equal", "shorter", "longer")


def _is_named(path: str, finding: Finding) -> bool:
    """The finding may call the file as the user does: the name is the same."""
    return os.path.basename(path) == os.path.basename(finding.path)


def _compared(snapshot: WorkspaceSnapshot, path: str, original: str) -> tuple[str, str]:
    """(how the copy stands to the original, a sentence with {name} for the original)."""
    one, other = (snapshot.read(file, LARGEST + 1) for file in (path, original))
    if len(one) > LARGEST or len(other) > LARGEST:
        return "large", f"It is a copy of {{name}}; files over {LARGEST >> 20} MiB are not compared."
    if one == other:
        return "equal", "It holds just what {name} holds."
    if not original.endswith(ROWS):
        return _judged(_ended(one), _ended(other), "line")
    mine, its = snapshot.screen(path), snapshot.screen(original)
    if mine is None or its is None or not _is_readable(mine) or not _is_readable(its):
        return "unknown", "It is a copy of {name}, and not all rows of both can be read."
    state, message = _judged(_body(mine, one), _body(its, other), "row")
    if state == "longer" and mine.header is None and its.header is not None:
        return "headless", f"{message} But it has no header, and that of {{name}} would be lost."
    return state, message


def _judged(mine: bytes, its: bytes, noun: str) -> tuple[str, str]:
    """The same for the whole lines that count of the copy and of the original."""
    if its == mine:
        return "header", f"It has the {noun}s of {{name}}; only what is around them differs."
    if its.startswith(mine):
        return "shorter", f"{{name}} has all its {noun}s and {count(_lines(its) - _lines(mine), noun)} more."
    if mine.startswith(its):
        return "longer", f"It has all {noun}s of {{name}} and {count(_lines(mine) - _lines(its), noun)} more."
    shared = _shared(mine, its)
    first = (
        f"the first {count(shared, noun)} {'is' if shared == 1 else 'are'} the same"
        if shared
        else f"no {noun} is the same"
    )
    apart = f"then it has {count(_lines(mine) - shared, noun)} of its own, {{name}} {_lines(its) - shared:,}"
    hint = " See 'memcli sessions diff'." if noun == "row" else ""
    return "fork", f"It and {{name}} went apart: {first}, {apart}.{hint}"


def _is_readable(rows: RowsSnapshot) -> bool:
    return not any(flag & UNREAD for flag in rows.facts.flags)


def _body(rows: RowsSnapshot, raw: bytes) -> bytes:
    """The bytes of the rows, the last one with a newline."""
    return _ended(raw[rows.facts.offsets[0] :] if len(rows.facts) else b"")


def _ended(body: bytes) -> bytes:
    return body if not body or body.endswith(b"\n") else body + b"\n"


def _lines(body: bytes) -> int:
    return body.count(b"\n")


def _shared(one: bytes, other: bytes) -> int:
    """How many whole lines at the beginning are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return one.count(b"\n", 0, low)
