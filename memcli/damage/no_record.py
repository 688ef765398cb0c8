"""Lines that hold no record, and records that are wrong in their middle."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count, excerpt, members
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "not-json",
        "a line that is no JSON",
        "error",
        "lossy",
        looks="Prose, a log line, base64, a fence: nothing in it is a record.",
        does="Moves the line to quarantine, with --lossy only.",
        lost="Nothing that was a record.",
    ),
    Class(
        "not-a-record",
        "JSON that is no object",
        "error",
        "lossy",
        looks="A number, a string, null, an array stands where a record belongs.",
        does="Parts an array of records; anything else goes to quarantine, with --lossy only.",
        lost="Nothing that was a record.",
    ),
    Class(
        "broken-record",
        "a record that is wrong in its middle",
        "error",
        "lossy",
        looks="A record with a beginning and an end, but a byte between them makes it unreadable (a flipped bit, a bad edit).",
        does="Moves the line to quarantine, with --lossy only: what the byte was cannot be known.",
        lost="The record, until someone mends it by hand from the quarantine.",
    ),
)
NOT_JSON, NOT_A_RECORD, BROKEN = CLASSES


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line."""
    verdict = snapshot.judged
    if verdict.code == "not-json":
        what = "UTF-16 text in the middle of a UTF-8 file" if verdict.detail == "utf16" else excerpt(snapshot)
        yield NOT_JSON.finding(snapshot.path, f"No JSON: {what}", **snapshot.place)
    elif verdict.code == "not-a-record" and verdict.detail == "array":
        message = f"An array of {count(verdict.records, 'record')} on one line."
        yield NOT_A_RECORD.finding(snapshot.path, message, repair="safe", **snapshot.place)
    elif verdict.code == "not-a-record":
        message = f"JSON, but no object ({_KINDS.get(verdict.detail, verdict.detail)}): {excerpt(snapshot)}"
        yield NOT_A_RECORD.finding(snapshot.path, message, **snapshot.place)
    elif verdict.code == "broken-record":
        message = f"A record that does not parse, and not because it was cut: {excerpt(snapshot)}"
        yield BROKEN.finding(snapshot.path, message, data=members(snapshot), **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Part the array, or take the line away."""
    return [*snapshot.edits(finding.code)]


_KINDS = {
    "int": "a number",
    "float": "a number",
    "str": "a string",
    "NoneType": "null",
    "bool": "true or false",
    "list": "an array",
}
