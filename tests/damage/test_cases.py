"""The classes of bytes, lines and headers, by data: tests/cases/<class>/<case>/ with case.json, before.jsonl, findings.json and,
where repair changes something, after.jsonl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.row_cases import CASES, about, as_json, told

from memcli.core.examining import Examination, Hit, Target
from memcli.damage import modules
from memcli.model import Action, Edit, Workspace
from memcli.storage import edits as splicing
from memcli.storage.decode import decode

SCOPES = ("whole", "line", "header", "bytes")
FOLDERS = [path.parent for path in sorted(CASES.glob("*/*/before.jsonl")) if about(path.parent).get("scope") in SCOPES]
MINE = {one.code for scope in SCOPES for module in modules(scope) for one in module.CLASSES}


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def hits(folder: Path, tmp_path: Path, data: bytes) -> list[tuple[Hit, list[Edit | Action]]]:
    """What is found in `data`, and how each would be mended, in the order of the file."""
    case = about(folder)
    path = tmp_path / case.get("name", "chat.jsonl")
    path.write_bytes(data)
    workspace = Workspace(case["agent"], str(tmp_path), (str(tmp_path),), era=case.get("era", ""))
    target = Target(str(path), str(path), case.get("kind", "session"), workspace)
    examination = Examination(target, options=case.get("options", {}), limit=None)
    found = [
        (hit, hit.module.mend(hit.snapshot, hit.finding)) for hit in examination.hits() if hit.finding.code in MINE
    ]
    return sorted(found, key=lambda one: one[0].finding.offset or 0)


def wanted(found: list[tuple[Hit, list[Edit | Action]]], flags: list[str]) -> list[Edit | Action]:
    """What repair would do with these flags."""
    asked = {"safe"} | ({"lossy"} if "--lossy" in flags else set())
    return [
        change
        for hit, changes in found
        if hit.finding.repair in asked or (hit.finding.repair == "flag" and hit.finding.flag in flags)
        for change in changes
    ]


def mended(data: bytes, changes: list[Edit | Action]) -> bytes:
    return splicing.spliced(data, [change for change in changes if isinstance(change, Edit)])


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_what_is_found(folder, tmp_path):
    found = [hit.finding for hit, _ in hits(folder, tmp_path, (folder / "before.jsonl").read_bytes())]
    expected = json.loads((folder / "findings.json").read_text("utf-8"))
    assert [told(finding, wish) for finding, wish in zip(found, expected, strict=False)] == expected
    assert [finding.code for finding in found] == [wish["code"] for wish in expected]
    says = about(folder).get("says", "")
    assert not says or any(says in finding.message for finding in found)
    for finding in found:
        json.dumps(dict(finding.data))
        assert finding.message.endswith((".", "...")) or ":" in finding.message


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_what_repair_makes_of_it(folder, tmp_path):
    case = about(folder)
    before = (folder / "before.jsonl").read_bytes()
    changes = wanted(hits(folder, tmp_path, before), case.get("flags", []))
    after = folder / "after.jsonl"
    expected = after.read_bytes() if after.exists() else before
    assert mended(before, changes) == expected
    assert [as_json(change) for change in changes if isinstance(change, Action)] == case.get("actions", [])
    again = wanted(hits(folder, tmp_path, expected), case.get("flags", []))
    assert not [change for change in again if isinstance(change, Edit)], "repairing twice"


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_valid_lines_keep_their_bytes_and_rows_are_counted_right(folder, tmp_path):
    case = about(folder)
    before = (folder / "before.jsonl").read_bytes()
    changes = wanted(hits(folder, tmp_path, before), case.get("flags", []))
    expected = mended(before, changes)
    # headers change by rule, of rows that are there twice one goes, and what CRs part is valid for others only
    if folder.parent.name not in ("duplicate-header", "header-incomplete", "conflict-markers", "cr-in-record"):
        left = expected.split(b"\n")
        for line in before.split(b"\n"):
            values, flaw = decode(line)
            if len(values) == 1 and isinstance(values[0], dict) and not flaw:
                assert line.removesuffix(b"\r") in [one.removesuffix(b"\r") for one in left]
    rows = sum(change.rows for change in changes if isinstance(change, Edit))
    assert rows == count(folder, tmp_path, expected) - count(folder, tmp_path, before)


def count(folder: Path, tmp_path: Path, data: bytes) -> int:
    """How many rows the bytes have."""
    case = about(folder)
    path = tmp_path / case.get("name", "chat.jsonl")
    path.write_bytes(data)
    workspace = Workspace(case["agent"], str(tmp_path), (str(tmp_path),), era=case.get("era", ""))
    examination = Examination(Target(str(path), str(path), case.get("kind", "session"), workspace))
    list(examination.hits())
    return examination.records


def test_every_class_of_these_scopes_has_cases():
    without = {code for code in MINE if len(list((CASES / code).glob("*/findings.json"))) < 2}
    # what takes megabytes, and seals, cannot stand in a data case: test_hostile_cases.py, tests/storage/test_seals.py
    assert without == {"oversize-line", "damaged-throughout", "seal-appended", "seal-trimmed"}
