"""The classes of the text of memory files, by data: tests/cases/<class>/<case>/ with case.json, before.md and findings.json.

case.json tells agent, era and name, the path below the workspace; with `repeat` the text stands there so many times. `latin`: it
is written in Latin-1. findings.json has what the class finds.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.row_cases import CASES, about, cases, told

from memcli import secrets
from memcli.core import texts
from memcli.damage import module_of, modules
from memcli.model import Finding, Workspace

TEXTS = cases("before.md", "text")
MINE = {one.code for module in modules("text") for one in module.CLASSES}


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def content(folder: Path) -> bytes:
    case = about(folder)
    text = (folder / "before.md").read_text("utf-8") * case.get("repeat", 1)
    return text.encode("latin-1" if case.get("latin") else "utf-8")


def found(folder: Path, tmp_path: Path) -> list[Finding]:
    case = about(folder)
    path = tmp_path / case["name"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content(folder))
    memory = tmp_path / "memory"
    memory.mkdir(exist_ok=True)
    workspace = Workspace(case["agent"], str(tmp_path), (), (str(memory),), case.get("era", ""))
    return [*texts.judge(workspace, str(path))]


@pytest.mark.parametrize("folder", TEXTS, ids=named)
def test_what_is_found_in_a_memory_file(folder, tmp_path):
    findings = [one for one in found(folder, tmp_path) if one.code == folder.parent.name]
    expected = json.loads((folder / "findings.json").read_text("utf-8"))
    assert [told(finding, wish) for finding, wish in zip(findings, expected, strict=False)] == expected
    assert len(findings) == len(expected)
    raw = content(folder)
    for finding in findings:
        json.dumps(dict(finding.data))
        assert finding.message.endswith(".")
        assert finding.effect
        assert finding.repair == "report"
        assert module_of(finding.code).mend(None, finding) == []
        if finding.offset is not None:
            assert finding.line == raw.count(b"\n", 0, finding.offset) + 1
            assert finding.length
            assert finding.offset + finding.length <= len(raw)


@pytest.mark.parametrize("folder", TEXTS, ids=named)
def test_no_finding_has_the_secret_in_it(folder, tmp_path):
    hidden = [one for one in secrets.find(content(folder).decode("utf-8", "replace")) if secrets.is_secret(one.kind)]
    for finding in found(folder, tmp_path):
        said = json.dumps([finding.message, finding.effect, dict(finding.data)])
        assert not any(one.value in said for one in hidden)


def test_every_class_of_text_has_cases():
    counts = {code: len([*(CASES / code).glob("*/before.md")]) for code in MINE}
    assert min(counts.values()) >= 3
    for code in MINE:
        agents = {about(path.parent)["agent"] for path in (CASES / code).glob("*/before.md")}
        assert agents == {"catbuddy", "nanobot", "cococat"}, code
