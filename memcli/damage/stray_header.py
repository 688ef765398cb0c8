"""Headers where none belongs: in the middle of the file, or a second one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcli.damage.framework import Class
from memcli.damage.snapshots import HeaderSnapshot
from memcli.model import Action, Edit, Finding, Line

SCOPE = "header"
CLASSES = (
    Class(
        "stray-header",
        "the header is not on the first line",
        "error",
        "safe",
        looks="Rows stand before the header, or blank lines where the agent minds them: something was put in front of it, or "
        "files were joined the wrong way round.",
        does="Moves it to the top; every line keeps its bytes.",
    ),
    Class(
        "duplicate-header",
        "a second header",
        "error",
        "safe",
        looks="Two headers of the same session: two versions of the file were joined.",
        does="Keeps the one that counts for the agent, at the top; the others go to quarantine. Other keys are left alone.",
    ),
)
STRAY, DUPLICATE = CLASSES
Found = tuple[Line, int, dict[str, Any]]
"""(line, row or 0, value)."""


def detect(snapshot: HeaderSnapshot) -> Iterator[Finding]:
    """One finding for the header that must move, one for each that must go."""
    kept, others = _sorted(snapshot)
    if kept is None:
        return
    line, row, _ = kept
    if row and not snapshot.headers:
        message = f"The header stands on line {line.number}, behind {row - 1:,} rows."
        yield STRAY.finding(snapshot.path, message, **_place(line, row))
    elif not row and line.number > 1 and snapshot.rules.on_top and not others:
        message = f"The header stands on line {line.number}, and the agent's list looks for it on the first one only."
        yield STRAY.finding(snapshot.path, message, **_place(line, row))
    for line, row, value in others:
        same = value.get("key") == kept[2].get("key")
        which = f"of the same session; the one on line {kept[0].number} counts" if same else "of another session"
        message = f"A second header, {which}."
        yield DUPLICATE.finding(snapshot.path, message, repair="safe" if same else "report", **_place(line, row))


def mend(snapshot: HeaderSnapshot, finding: Finding) -> list[Edit | Action]:
    """Move the header that counts to the top; take the others away."""
    kept, others = _sorted(snapshot)
    if kept is None or finding.repair == "report":
        return []
    line, row, _ = kept
    if finding.code == STRAY.code:
        return _moved(line, row)
    gone = next(one for one in others if one[0].offset == finding.offset)
    edits: list[Edit | Action] = [_removed(gone[0], gone[1], DUPLICATE.code)]
    if gone[0].offset < line.offset and not gone[1] and row:
        edits += _moved(line, row, DUPLICATE.code)
    return edits


def _sorted(snapshot: HeaderSnapshot) -> tuple[Found | None, list[Found]]:
    """The header that counts, and the others."""
    every: list[Found] = [(line, 0, value) for line, value in snapshot.headers]
    every += [(stray.line, stray.row, stray.value) for stray in snapshot.strays]
    if not every:
        return None, []
    # a header of another session is that of the rows behind it, not of the file
    same = [one for one in every if one[2].get("key") == every[0][2].get("key")]
    kept = same[-1] if snapshot.rules.last_wins else same[0]
    return kept, [one for one in every if one is not kept]


def _moved(line: Line, row: int, code: str = STRAY.code) -> list[Edit | Action]:
    raw = line.raw or b""
    return [Edit(0, 0, raw + b"\n", code), _removed(line, row, code)]


def _removed(line: Line, row: int, code: str) -> Edit:
    return Edit(line.offset, line.length + line.ended, b"", code, -1 if row else 0, row)


def _place(line: Line, row: int) -> dict[str, Any]:
    return {"line": line.number, "row": row or None, "offset": line.offset, "length": line.length}
