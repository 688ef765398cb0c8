"""The classes of rows, by data: tests/cases/<class>/<case>/ with case.json, before.jsonl, findings.json, after.jsonl.

`top` in case.json: so many lines come (+) or go (-) that are no rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.row_cases import about, as_json, cases, is_wanted, rows_of, spliced, told

from memcli.damage import modules
from memcli.damage.framework import RowsSnapshot
from memcli.model import Action, Edit, Finding


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def found(snapshot: RowsSnapshot) -> list[Finding]:
    return [finding for module in modules("rows") for finding in module.detect(snapshot)]


def mends(snapshot: RowsSnapshot, flags: list[str]) -> list[Edit | Action]:
    return [
        change
        for module in modules("rows")
        for finding in module.detect(snapshot)
        if is_wanted(finding, flags)
        for change in module.mend(snapshot, finding)
    ]


def placed(folder: Path, tmp_path: Path, data: bytes) -> RowsSnapshot:
    case = about(folder)
    path = tmp_path / case.get("name", "chat.jsonl")
    path.write_bytes(data)
    return rows_of(path, case["agent"], case.get("kind", "session"), case.get("era", ""))


@pytest.mark.parametrize("folder", cases("before.jsonl", "rows"), ids=named)
def test_what_is_found(folder, tmp_path):
    snapshot = placed(folder, tmp_path, (folder / "before.jsonl").read_bytes())
    expected = json.loads((folder / "findings.json").read_text("utf-8"))
    findings = found(snapshot)
    assert [one.code for one in findings] == [one["code"] for one in expected]
    assert [told(finding, wish) for finding, wish in zip(findings, expected, strict=True)] == expected
    for finding in findings:
        json.dumps(dict(finding.data))


@pytest.mark.parametrize("folder", cases("before.jsonl", "rows"), ids=named)
def test_what_repair_makes_of_it(folder, tmp_path):
    case = about(folder)
    before = (folder / "before.jsonl").read_bytes()
    changes = mends(placed(folder, tmp_path, before), case.get("flags", []))
    edits = [change for change in changes if isinstance(change, Edit)]
    actions = [as_json(change) for change in changes if isinstance(change, Action)]
    after = folder / "after.jsonl"
    expected = after.read_bytes() if after.exists() else before
    assert spliced(before, edits) == expected
    assert actions == case.get("actions", [])
    rows = sum(edit.rows for edit in edits) + case.get("top", 0)
    assert rows == expected.count(b"\n") - before.count(b"\n")
    earlier = {finding.code for finding in found(placed(folder, tmp_path, before))}
    repaired = placed(folder, tmp_path, expected)
    new = {finding.code for finding in found(repaired) if finding.severity != "info"} - earlier
    assert new == set(), "mending one thing must not break another"
    again = mends(repaired, case.get("flags", []))
    assert not [change for change in again if isinstance(change, Edit)]


@pytest.mark.parametrize("folder", cases("before.jsonl", "rows"), ids=named)
def test_without_its_flag_nothing_is_mended_but_the_safe_classes(folder, tmp_path):
    snapshot = placed(folder, tmp_path, (folder / "before.jsonl").read_bytes())
    for module in modules("rows"):
        by_code = {one.code: one for one in module.CLASSES}
        for finding in module.detect(snapshot):
            assert finding.repair in ("safe", "flag", "report")
            assert bool(finding.flag) == (finding.repair == "flag")
            if finding.repair == "report":
                assert module.mend(snapshot, finding) == []
            assert by_code[finding.code].code == finding.code
