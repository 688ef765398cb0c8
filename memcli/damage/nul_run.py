"""NUL bytes: blocks that never reached the disk."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count, fragment_words, members
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "nul-run",
        "a run of NUL bytes",
        "error",
        "safe",
        looks="NUL bytes stand where records were: blocks that never reached the disk before the power went.",
        does="Takes the filler out; what stands beside it keeps its bytes. NULs inside a string go only with --lossy.",
        lost="Whatever stood in those blocks; how many records that was cannot be known.",
    ),
)
BLOCK = 4096
"""File systems write blocks of this size: a run that ends on such a boundary is the mark of a crash."""


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code != "nul-run":
        return
    raw = snapshot.line.raw or b""
    message = f"{count(raw.count(0), 'NUL byte')}{_signature(snapshot, raw)}."
    repair = "safe"
    if verdict.detail == "only" and len(raw) == snapshot.context.size:
        message = f"The file is nothing but NUL: {count(len(raw), 'byte')} that never reached the disk."
        repair = "report"
    elif verdict.detail == "inside":
        message += " They stand inside the text of a record, part of which is gone."
        repair = "lossy"
    elif verdict.records:
        message += f" {count(verdict.records, 'whole record')} on the same line can be kept."
    data = {"nul": raw.count(0), **members(snapshot)}
    found = message + fragment_words(snapshot)
    yield CLASSES[0].finding(snapshot.path, found, repair=repair, data=data, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Take the filler out; nothing where the file is nothing else."""
    return [] if finding.repair == "report" else [*snapshot.edits(finding.code)]


def _signature(snapshot: LineSnapshot, raw: bytes) -> str:
    last = raw.rfind(b"\0") + 1
    if (snapshot.line.offset + last) % BLOCK == 0:
        return f", up to a boundary of {BLOCK:,} bytes: the mark of a crash or a power loss"
    return ""
